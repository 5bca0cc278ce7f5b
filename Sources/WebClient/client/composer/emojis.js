// Emojis with English words for the search, in groups of one line for each emoji. The words are the Unicode names and
// other common words.

/** @type {Record<string, string>} */
export const emojis = {
  smileys: `
😀 grinning happy smile
😃 smiling open mouth happy
😄 smiling open mouth eyes happy laugh
😁 grinning smiling eyes
😆 smiling open mouth tightly closed eyes
😅 smiling open mouth cold sweat phew
🤣 rolling on floor laughing laugh lol rofl
😂 tears joy laugh lol
🙂 slightly smiling smile
🙃 upside down
😉 winking
😊 smiling eyes
😇 smiling halo innocent
🥰 smiling eyes three hearts love
😍 smiling heart shaped eyes love
🤩 grinning star eyes
😘 throwing kiss love
😗 kissing
😚 kissing closed eyes
😙 kissing smiling eyes
😋 savouring delicious food
😛 stuck out tongue
😜 stuck out tongue winking eye
🤪 grinning one large small eye
😝 stuck out tongue tightly closed eyes
🤑 money mouth
🤗 hugging hug
🤭 smiling eyes hand covering mouth
🤫 finger covering closed lips
🤔 thinking think hmm
🤐 zipper mouth
🤨 one eyebrow raised
😐 neutral meh
😑 expressionless
😶 without mouth
😏 smirking
😒 unamused
🙄 rolling eyes whatever
😬 grimacing
😌 relieved
😔 pensive
😪 sleepy
🤤 drooling
😴 sleeping tired
😷 medical mask sick
🤒 thermometer ill fever
🤕 head bandage
🤢 nauseated
🤮 open mouth vomiting sick
🤧 sneezing
🥵 overheated
🥶 freezing
🥴 uneven eyes wavy mouth
😵 dizzy
🤯 shocked exploding head mind blown
🤠 cowboy hat
🥳 party horn hat birthday celebrate
😎 smiling sunglasses cool
🤓 nerd
🧐 monocle
😕 confused
😟 worried
🙁 slightly frowning
😮 open mouth
😯 hushed
😲 astonished
😳 flushed blush
🥺 pleading eyes
😦 frowning open mouth
😧 anguished
😨 fearful
😰 open mouth cold sweat
😥 disappointed but relieved
😢 crying sad
😭 loudly crying sad cry
😱 screaming in fear scared
😖 confounded
😣 persevering
😞 disappointed
😓 cold sweat
😩 weary
😫 tired
🥱 yawning
😤 look triumph
😡 pouting angry
😠 angry mad
🤬 serious symbols covering mouth
😈 smiling horns
👿 imp
💀 skull dead
💩 pile poo shit
🤡 clown
👻 ghost halloween
👽 extraterrestrial alien
🤖 robot bot
😺 smiling cat open mouth
😹 cat tears joy
😻 smiling cat heart shaped eyes
😿 crying cat
`,
  people: `
👋 waving hand hello hi bye
🤚 raised back hand
✋ raised hand
🖖 raised hand part between middle ring fingers
👌 ok hand fine perfect
🤏 pinching hand
✌ victory hand peace
🤞 hand index middle fingers crossed luck
🤟 i love you hand
🤘 horns
🤙 call me hand
👈 left pointing backhand index
👉 right pointing backhand index
👆 up pointing backhand index
👇 down pointing backhand index
☝ up pointing index
👍 thumbs up yes like good ok
👎 thumbs down no dislike bad
✊ raised fist
👊 fisted hand
🤛 left facing fist
🤜 right facing fist
👏 clapping hands clap bravo
🙌 person raising both hands in celebration hooray
👐 open hands
🤲 palms up together
🤝 handshake deal agree
🙏 person folded hands please thanks pray
✍ writing hand
💅 nail polish
💪 flexed biceps strong
👂 ear
👃 nose
🧠 brain
👀 eyes look see
👅 tongue
👄 mouth
👶 baby
🧒 child
👦 boy
👧 girl
👨 man
👩 woman
👴 older man
👵 older woman
🙅 no good gesture
🙆 ok gesture
💁 information desk person
🙋 happy person raising one hand
🙇 person bowing deeply
🤦 palm oh no
🤷 shrug dunno
👮 police officer
🕵 sleuth or spy
💂 guardsman
👷 construction worker
🤴 prince
👸 princess
🎅 father christmas holiday
🦸 superhero
🧙 mage
🧚 fairy
🚶 pedestrian
🏃 runner
💃 dancer
🕺 man dancing
👫 man woman holding hands
👪 family
🗣 speaking head in silhouette
👤 bust in silhouette
`,
  nature: `
🐶 dog puppy
🐱 cat kitten
🐭 mouse
🐹 hamster
🐰 rabbit
🦊 fox
🐻 bear animal
🐼 panda
🐨 koala
🐯 tiger
🦁 lion
🐮 cow
🐷 pig
🐸 frog
🐵 monkey
🙈 see no evil monkey
🙉 hear no evil monkey
🙊 speak no evil monkey
🐔 chicken
🐧 penguin
🐦 bird
🐤 baby chick
🦆 duck
🦅 eagle
🦉 owl
🐺 wolf
🐴 horse
🦄 unicorn
🐝 honeybee
🐛 bug
🦋 butterfly
🐌 snail
🐞 lady beetle
🐜 ant
🕷 spider
🐢 turtle
🐍 snake
🦎 lizard
🐙 octopus
🦀 crab
🐠 tropical fish
🐬 dolphin
🐳 spouting whale
🦈 shark
🐊 crocodile
🐘 elephant
🦒 giraffe
🐪 dromedary camel
🐑 sheep
🐐 goat
🐕 dog
🐈 cat
🐓 rooster
🕊 dove peace
🐇 rabbit
🐿 chipmunk
🦔 hedgehog
🌵 cactus
🎄 christmas tree holiday
🌲 evergreen tree
🌳 deciduous tree
🌴 palm tree
🌱 seedling
🌿 herb
☘ shamrock
🍀 four leaf clover luck
🍁 maple leaf
🍂 fallen leaf
🌷 tulip
🌹 rose
🌻 sunflower
🌸 cherry blossom
🌼 blossom
🍄 mushroom
🌍 earth globe europe africa
🌙 crescent moon
⭐ medium star favourite
✨ sparkles
⚡ high voltage
🔥 fire hot
🌈 rainbow
☀ sun rays sunny weather
⛅ sun behind cloud
☁ cloud
🌧 cloud rain weather
❄ snowflake cold winter
⛄ snowman without snow
💧 droplet
🌊 water wave
`,
  food: `
🍏 green apple
🍎 red apple
🍐 pear
🍊 tangerine
🍋 lemon
🍌 banana
🍉 watermelon
🍇 grapes
🍓 strawberry
🍒 cherries
🍑 peach
🥭 mango
🍍 pineapple
🥥 coconut
🥝 kiwifruit
🍅 tomato
🍆 aubergine
🥑 avocado
🥦 broccoli
🥒 cucumber
🌶 hot pepper
🌽 ear maize
🥕 carrot
🥔 potato
🍞 bread
🥐 croissant
🥖 baguette bread
🧀 cheese wedge
🥚 egg
🍳 cooking
🥞 pancakes
🥓 bacon
🍗 poultry leg
🍔 hamburger
🍟 french fries
🍕 slice pizza eat
🌭 hot dog
🥪 sandwich
🌮 taco
🥗 green salad
🍝 spaghetti
🍜 steaming bowl
🍲 pot food
🍣 sushi
🍱 bento box
🍚 cooked rice
🍦 soft ice cream
🍩 doughnut
🍪 cookie
🎂 birthday cake
🍰 shortcake
🧁 cupcake
🍫 chocolate bar
🍬 candy
🍭 lollipop
🍯 honey pot
🥛 glass milk
☕ hot beverage coffee tea
🍵 teacup without handle
🍺 beer mug drink
🍻 clinking beer mugs
🥂 clinking glasses
🍷 wine glass drink
🍸 cocktail glass
🍾 bottle popping cork
🍴 fork knife
`,
  activities: `
⚽ soccer ball
🏀 basketball hoop
🏈 american football
⚾ baseball
🎾 tennis racquet ball
🏐 volleyball
🏉 rugby football
🎱 billiards
🏓 table tennis paddle ball
🏸 badminton racquet shuttlecock
🥅 goal net
⛳ flag in hole
🏹 bow arrow
🎣 fishing pole fish
🥊 boxing glove
🥋 martial arts uniform
⛸ ice skate
🎿 ski boot
🏂 snowboarder
🏋 weight lifter
🤸 person doing cartwheel
🏊 swimmer
🏄 surfer
🚴 bicyclist
🧘 person in lotus position
🏆 trophy
🥇 first place medal
🥈 second place medal
🥉 third place medal
🎫 ticket
🎭 performing arts
🎨 artist palette
🎬 clapper board
🎤 microphone
🎧 headphone
🎼 musical score
🎹 musical keyboard
🥁 drum drumsticks
🎷 saxophone
🎺 trumpet
🎸 guitar
🎻 violin
🎲 game die
♟ chess pawn
🎯 direct hit
🎳 bowling
🎮 video game
🧩 jigsaw puzzle piece
🎉 party popper congratulations celebrate
🎊 confetti ball
🎈 balloon
🎁 wrapped present
🎀 ribbon
`,
  travel: `
🚗 automobile drive
🚕 taxi
🚌 bus
🚑 ambulance
🚒 fire engine
🚚 delivery truck
🚜 tractor
🚲 bicycle
🛴 scooter
🚂 steam locomotive
🚆 train
🚇 metro
🚊 tram
✈ airplane flight travel
🛫 airplane departure
🛬 airplane arriving
🚀 rocket start launch
🚁 helicopter
⛵ sailboat
🚢 ship
⚓ anchor
🚧 construction
⛽ fuel pump
🚦 vertical traffic light
🗺 world map
🗽 statue liberty
🗼 tokyo tower
🏰 european castle
🎡 ferris wheel
🏖 beach umbrella
🏔 snow capped mountain
⛺ tent
🏠 house building home
🏢 office building
🏥 hospital
🏦 bank
🏨 hotel
🏫 school
⛪ church
🕌 mosque
🌃 night stars
🌅 sunrise
🌉 bridge at night
`,
  objects: `
⌚ watch
📱 mobile phone
💻 personal computer
⌨ keyboard
🖥 desktop computer
🖨 printer
🖱 three button mouse
💾 floppy disk
💿 optical disc
📷 camera
📹 video camera
🎥 movie camera
📞 telephone receiver call
☎ telephone
📺 television
📻 radio
⏰ alarm clock time
⏳ hourglass flowing sand
🔋 battery
🔌 electric plug
💡 electric light bulb idea
🔦 electric torch
🕯 candle
🧯 fire extinguisher
💸 money wings
💵 banknote dollar
💳 credit card
💎 gem stone
⚖ scales
🔧 wrench
🔨 hammer
🛠 hammer wrench
🔩 nut bolt
⚙ gear
🧲 magnet
🔫 pistol
💣 bomb
🔪 hocho
🛡 shield
🔑 key password
🔒 lock secure private
🔓 open lock
🚪 door
🛏 bed
🛋 couch lamp
🚽 toilet
🚿 shower
🧹 broom
🧺 basket
🧻 roll paper
🛒 shopping trolley
✉ envelope mail
📧 e mail
📦 package
📅 calendar date
📈 chart upwards trend
📉 chart downwards trend
📌 pushpin
📎 paperclip file
✂ scissors
📝 memo
✏ pencil
🔍 left pointing magnifying glass
📚 books
📖 open book
📰 newspaper
🔔 bell notification
🔕 bell cancellation stroke
📣 cheering megaphone
💬 speech balloon chat message
💭 thought balloon
🗑 wastebasket trash delete
💊 pill
💉 syringe
🔬 microscope
🔭 telescope
`,
  symbols: `
❤ heart love
🧡 orange heart
💛 yellow heart
💚 green heart
💙 blue heart
💜 purple heart
🖤 black heart
💔 broken heart sad
❣ heart exclamation mark ornament
💕 two hearts
💞 revolving hearts
💓 beating heart
💗 growing heart
💖 sparkling heart
💘 heart arrow
💝 heart ribbon
💯 hundred points perfect
💢 anger
💥 collision
💫 dizzy
💦 splashing sweat
💨 dash
✅ check mark done yes ok
☑ ballot box check
✔ check mark done
❌ cross mark no wrong
❎ negative squared cross mark
➕ plus
➖ minus
➗ division
✖ multiplication x
❓ question mark ornament what
❔ question mark ornament
❗ exclamation mark
❕ exclamation mark ornament
⚠ warning danger
🚫 no entry
⛔ no entry
♻ universal recycling
🔴 large red circle
🟠 large orange circle
🟡 large yellow circle
🟢 large green circle
🔵 large blue circle
🟣 large purple circle
⚫ medium black circle
⚪ medium white circle
🔺 up pointing red triangle
🔻 down pointing red triangle
▶ right pointing triangle
⏸ double vertical bar
⏹ square stop
⏩ right pointing double triangle
⏪ left pointing double triangle
🔀 twisted rightwards arrows
🔁 clockwise rightwards leftwards open circle arrows
⬆ upwards arrow
⬇ downwards arrow
⬅ leftwards arrow
➡ rightwards arrow
↩ leftwards arrow hook
🔄 anticlockwise downwards upwards open circle arrows
🆗 squared ok
🆕 squared new
🆒 squared cool
🆘 squared sos help
ℹ information source
🏁 chequered flag finish
🚩 triangular flag on post
🏴 waving flag
🏳 waving flag
☮ peace
☯ yin yang
♾ permanent paper
🎵 musical note
🎶 multiple musical notes
💤 sleeping
🕐 clock one oclock
`,
}
