"""Common words that look like a misspelt concept ("chance" is not "change"): never respelled.

Found by respelling some 19,000 of the commonest English words and keeping those that turned into a concept
that they have nothing to do with. A new concept may need new ones.
"""

LOOKALIKES = """
acre actresses adapting addition additionally additions advisers aiding alleging altar altitude amen amends
appealing applying archived archives arrivals ascending asserting assessing attending awarding bach ball
balls band bank bark beat beck bell bells belt bend benz bert billy black bland bloke brad brake bran brands
brandy brent broker brooke buck bull bulls bullying burying businesses cafe cafes cage cages cake cakes calf
cali calm calming camel cameo camp cams cancer cancers cane cape cara carb carbs careless cares carey carl
carr cars cart carts carve cary casa casey cass cast caste casts cause causes cave caves cease cell chad
chan chance chances chang channels chant chanting chap chaplain char charger chargers charles charming chart
chase cheat cheating chilling choosing chose clare clash cleaning clearing clinging clone closet clothing
coast coasts coat coats coding cody coke cole collected collecting collection coloring colt colts coma comb
comeback comet comey comin comm commands commence comp compliant concealed conceded conditional conditioner
conducting cone connecting connection connector constant contacts containing contents contract contracting
contracts contrast contrasting convictions cope coping cord cords core correctional correctly correlated
correlation corrupted corruption costa cosy cove cracker crackers crafting crash crashed crate crawling
crease creation creations creative creature creeping crossing cure dad dana date deaf deal dean dear
debating decay deceived deception deceptive declared deed defeat defeating defensive delaying delays
delegate delegation delusion denied depleted deployed destined detained detect detecting detection detective
detectives detention devotion directive discussing distract dread earnings earrings ears eat eater edith
editions electing employed employer employers enchanted enduring ensuring enters est exciting executing
exist existing exited exiting exits expert exporting faculty fall falling feds feeds file filed filing film
flee foes forget fred freed frustration golf gould heap held helm helpless hemp humane income incoming
incompetence incorrectly informative involves iphone jake joker jose lace lake lame lane lars later latex
latte laying leading leads leafs leaning leaps learning leasing lies lieu liked lined lite lived livestock
logan logic lose lots machinery maid main mali mall managers marching matching methodist mobility monkey
monty morality mortality nay offering older openings operated operates operation operations optional
organisation organisations organizational outlining oven overcome overcoming overdose overturned owen pacing
pads pals pans papal parsons partying paso passages passport passports paterson patients pats pavement
paving paws pays pearson pensions persona peterson phony photoshop playing police policing politics por
portions postcard potion praying predicts priceless pricey pride prime prince princes princess prize prizes
produce produced producer producers produces programs progresses projects prom prone proof protects
purchased qualify quantity racing raging rained ratings react reacting rebounds recorder recovered recurring
refining reflected refusing registered registers registrar registry reich rejecting relate relates relating
relaxation relaxing relay relieved reminded reminding remote repair repaired repealed repeated repeating
replay reply replying representation representations rescuing resent reserved resisted resisting resolving
respected respecting rest resulting retained retaining retiring reviewers revolver revolving ride
ridiculously roach roasting rode roles root rotating rounding rudy rule ruler rulers saturation saturdays
scan scar scattered seam seating secondly seconds settings settling severely shade shake shale shameless
shane shape share shave sheltered shia shifting shin shock shoe shooting shops shot shouting shoved showcase
shower shutting simulation simulations sipping sitting skip skipped skipping slam slap slapping slip slipped
slipping slips slowed snap snapping snatched sneak sneaking soap sock somethin sometime sometimes somewhat
soothing sore spam spear spelling spitting spotting spraying spreading stack stacking stale standards
stanford startups states stations stats statue statues statutes steak stealing steaming stepping stick
sticking stiff stitch stitches stocking stockings stoke stolen stone stopping store stove stretched stripped
stripping stuck stuff style subscribers summit sundays superior supervise supervised supervision survives
swam swamp swan swat sway swearing sweating tack tackling taking talkin talks tall tank task tea teaching
teams terminal terminals thanking thine thorn threesome ting tore tory town trace tracing tract tracy
trailing training transferring transfers transform trapping trick troublesome truck trucking tuned turn
turner tying type uber underlying uploading username users usher vista vita viva waist walt wars wasting
watt weakened weekends wholesome withdraw withdrawn wong workshop worse writ writings wrote
"""
