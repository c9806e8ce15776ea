"""The words the rules know: concepts with their forms, slang, phrases, and words never to be respelled."""

# A concept stands for all its forms. Signals are written in concepts, so a synonym is added only here.
# A form belongs to one concept; a misspelt word is respelled to the nearest form (see spelling.py).
CONCEPTS: dict[str, str] = {
    "REFUND": "refund refunds refunded refunding reimburse reimburses reimbursed "
    "reimbursing reimbursement reimbursements rebate rebates rebating restitution "
    "restitutions compensate compensated compensation compensations repay repaid repayment "
    "moneyback chargeback",
    "MONEY": "money cash",
    "BACK": "back",
    "RETURN": "return returns returned returning",
    "ORDER": "order orders purchase purchases",
    "ITEM": "item items article articles product products parcel parcels package packages goods thing things",
    "SOME": "something several few some any",
    "BUY": "buy buying shop shopping acquire acquiring earn earning ordering purchasing obtain obtaining",
    "CANCEL": "cancel cancels canceled cancelled canceling cancelling cancellation cancellations",
    "CHANGE": "change changes changed changing modify modifying modified modification modifications "
    "edit edits editing edited update updating updated correct correcting corrected "
    "correction amend amending alter altering adjust adjusting swap swapping",
    "SWITCH": "switch switching switched upgrade upgrading downgrade downgrading",
    "REPLACE": "replace replacement replacements replacing replaced exchange exchanges exchanging exchanged",
    "REMOVE": "remove removing removal delete deleting deletion close closing terminate terminating",
    "ADD": "add adding include including",
    "SETUP": "set setting submit submitting submitted enter entering fill",
    "NEWLY": "new another secondary second additional",
    "WRONG": "wrong incorrect mistaken mistake mistakenly typo misspelled",
    "ADDRESS": "address addresses",
    "DELIVERY": "delivery deliveries deliver delivers delivering shipping shipment shipments ship ships",
    "OPTION": "option options method methods modality modalities choice choices way ways",
    "COST": "cost costs price prices cheap",
    "FEE": "fee fees charge charges charged charging penalty penalties",
    "EXIT": "termination withdrawal exit",
    "INVOICE": "invoice invoices bill bills receipt receipts",
    "PAY": "payment payments pay paying card cards paypal visa mastercard",
    "PROBLEM": "problem problems issue issues error errors trouble troubles failed failing failure "
    "declined rejected",
    "ACCOUNT": "account accounts profile user login membership",
    "TIER": "gold platinum premium standard freemium pro free",
    "DETAIL": "detail details data info information email mail",
    "PASSWORD": "password passwords pwd passcode pin",
    "KEY": "key pass code",
    "RECOVER": "recover recovering recovery reset resetting restore restoring retrieve retrieving "
    "retrieval forgot forgotten lost",
    "REGISTER": "register registering registration signup enroll",
    "CREATE": "create creating open opening",
    "NEWSLETTER": "newsletter newsletters",
    "SUBSCRIBE": "subscribe subscribing subscription subscriptions unsubscribe unsubscribing unsubscribed",
    "REVIEW": "review reviews opinion opinions feedback comment comments rating testimonial",
    "WRITE": "write writing leave leaving",
    "POLICY": "policy policies guarantee guarantees terms conditions rules",
    "CASE": "case cases situation situations circumstance circumstances",
    "WAIT": "wait waiting await awaiting expect expecting",
    "STATUS": "status eta progress",
    "TRACK": "track tracking",
    "ARRIVE": "arrive arrives arriving come coming",
    "ARRIVED": "arrived came received delivered shipped showed turned",
    "COMPLAIN": "complaint complaints complain complaining complained claim claims reclamation "
    "reclamations grievance",
    "UNHAPPY": "unhappy unsatisfied dissatisfied disappointed disappointing frustrated frustrating "
    "furious angry upset annoyed annoying fed",
    "AWFUL": "terrible awful horrible unacceptable disgusting disgrace disgraceful ridiculous "
    "pathetic rude appalling worst dreadful shocking useless incompetent scam joke lousy "
    "outrageous disrespectful lied lying liars shame shameful threw stole ignored unprofessional",
    "EXPERIENCE": "experience treatment attitude quality company brand business organization",
    "TALK": "talk talking speak speaking chat chatting call calling contact contacting reach reaching "
    "phone phoning connect transfer escalate",
    "PERSON": "person persons human humans agent agents operator operators somebody someone "
    "representative representatives rep manager supervisor employee adviser advisor people "
    "staff colleague assistant",
    "BOT": "bot robot chatbot machine ai",
    "DESK": "service services support assistance care helpdesk department",
    "HELP": "help helping helped assist assisting",
    "HOURS": "hours hour schedule weekend sunday saturday",
    "WARRANTY": "warranty warranties",
    "STOCK": "stock available availability restock",
    "DISCOUNT": "discount discounts coupon coupons voucher vouchers promo",
    "DAMAGED": "broken broke damaged damage cracked smashed shattered defective defect faulty leaking "
    "leaks scratched dented torn dead crushed ruined malfunctioning bent",
    "LATE": "late delayed delay overdue",
}

# Written as one word by customers, meant as other words. Values may hold several words.
SLANG: dict[str, str] = {
    "u": "you", "ya": "you", "ur": "your", "r": "are", "pls": "please", "plz": "please", "thx": "thanks",
    "wanna": "want to", "gonna": "going to", "gotta": "have to", "gimme": "give me", "lemme": "let me",
    "cannot": "can not", "cant": "can not", "dont": "do not", "doesnt": "does not", "didnt": "did not",
    "wont": "will not", "isnt": "is not", "arent": "are not", "wasnt": "was not", "havent": "have not",
    "hasnt": "has not", "couldnt": "could not", "im": "i am", "ive": "i have", "whats": "what is",
    "wheres": "where is", "hows": "how is", "asap": "soon", "info": "information", "addr": "address",
    "acct": "account", "n't": "not", "wtf": "", "em": "me", "never": "never not",
}  # fmt: skip
CONTRACTIONS: tuple[tuple[str, str], ...] = (
    ("won't", "will not"),
    ("can't", "can not"),
    ("n't", " not"),
    ("'m", " am"),
    ("'re", " are"),
    ("'ve", " have"),
    ("'ll", " will"),
    ("'d", " would"),
    ("'s", " is"),
)
# Several words with one meaning, joined before concepts are looked up.
PHRASES: dict[str, str] = {
    "money back": "refund", "cash back": "refund", "sign up": "registration", "signing up": "registration",
    "signed up": "registration", "sign ups": "registration", "get in touch": "contact",
    "put me through": "connect me", "ring me": "call me", "getting in touch": "contact",
    "back my money": "refund", "return my money": "refund", "my money returned": "refund",
    "pin code": "pin", "access key": "password", "customer care": "customer support",
    "help desk": "helpdesk", "gift card": "voucher", "gift cards": "voucher", "user profile": "profile",
    "user account": "account",
}  # fmt: skip

# Everyday words that signals and customers use: known, so that they are neither respelled nor split.
# Look-alikes of concept forms ("chance" is not "change") are in lookalikes.py.
EVERYDAY = """
love loved a about after again against ago all almost already also although always am an and anymore anyone
anything are as ask asked asking at away bad be because been before being best better between big both but
by can check checking checked city colour color could country customer day days did do does doing done down
each early either else even ever every everything exactly far feel find finding first for from full further
get getting gets give given go goes going gone good got great had half happen happened has have having hello
her here hers hey hi him his how i if in inform informing instead into is it its itself just kind know large
last least left less let like list listing little locate locating long longer look looking looks made make
making many may maybe me mean might month months more morning most much must my name need needed needs
neither never next nice no none nor not nothing notify notifying now number of off offer offers often ok
okay old on once one only or other others our ours out over own part personal please possible process
processed put quick quite rather really report reporting request requested requesting require right said
same say see seeing seen sell sells sent she should show showing since small so solve somewhere soon sorry
still stop such sure take taken takes tell than thank thanks that the their them then there these they this
those though three through time times to today together tomorrow too took tried try trying two under until
up upon us use used using usually very want wanted wanting wants was we week weeks well went were what when
where whether which while who whole whom whose why will with within without works working would year years
yes yesterday yet you your yours afford allowed accept accepted accepts demand receive receiving download
downloading view online described picture photo photos description advertised size fit fits mind ordered
missing send sending giving refundable returnable eligible bring abort pleased live quit stops pictures
shown scratches work post pieces throw
"""
