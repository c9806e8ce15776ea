// What every page runs: times that go on, keys, live updates, and the part of the page that it is.
import { startLive } from "./live.js";
import { startKeys } from "./keys.js";
import { startTimes } from "./times.js";
import { startInbox } from "./inbox.js";
import { startReview } from "./review.js";
import { startForms } from "./form.js";
import { startSettings } from "./settings.js";
import { startTrial } from "./trial.js";

// A refused answer is drawn under the address that it was sent to: a reload should ask for the review itself.
if (document.body.dataset.here) history.replaceState(history.state, "", document.body.dataset.here);
startTimes();
startKeys();
startTrial(); // before the forms: its own is sent by itself
startForms();
startSettings();
if (document.body.classList.contains("page-list")) startInbox();
if (document.body.classList.contains("page-review")) startReview();
document.documentElement.dataset.ready = "";
if (document.querySelector("[id^=live-]:not(#live-state)")) startLive();
