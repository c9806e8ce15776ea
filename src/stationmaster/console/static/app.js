// What every page runs: times that go on, keys, live updates, and the part of the page that it is.
import { startLive } from "./live.js";
import { startKeys } from "./keys.js";
import { startTimes } from "./times.js";
import { startInbox } from "./inbox.js";
import { startReview } from "./review.js";
import { startForms } from "./form.js";

startTimes();
startKeys();
startForms();
if (document.body.classList.contains("page-list")) startInbox();
if (document.body.classList.contains("page-review")) startReview();
if (document.querySelector("[id^=live-]:not(#live-state)")) startLive();
