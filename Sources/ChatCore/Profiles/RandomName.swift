/// Random names that reveal nothing, such as `AmberHarbor`: an adjective and a noun. About 60,000 names are possible.
enum RandomName {
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let adjective = adjectives.randomElement(using: &generator) ?? "Plain"
        let noun = nouns.randomElement(using: &generator) ?? "Stone"
        return adjective + noun
    }

    private static let adjectives = splitWords(
        """
        Able Agile Airy Alert Alpine Amber Ample Ancient Apt Arctic Ardent Azure Balmy Basic Bold Bonny Bouncy Brave Breezy Brief Bright Brisk \
        Broad Bronze Bubbly Calm Candid Careful Casual Cheery Chilly Civil Classic Clean Clear Clever Coastal Cobalt Cool Copper Coral Cosmic \
        Cozy Crafty Crisp Curious Curly Dainty Dapper Daring Dazzling Deep Deft Dense Dewy Distant Dotted Dreamy Dry Dusky Eager Early Earnest \
        Easy Elder Elegant Emerald Even Exact Fabled Fair Famous Fancy Fast Fearless Festive Fiery Fine Firm Fleet Floral Fluffy Fond Formal \
        Frank Free Fresh Friendly Frosty Frugal Full Funny Gallant Gentle Giant Gilded Glad Gleaming Glossy Golden Good Grand Grateful Great \
        Green Handy Happy Hardy Hazel Hearty Hidden High Hollow Honest Humble Icy Ideal Indigo Inner Ivory Jade Jaunty Jolly Jovial Joyful Keen \
        Kind Large Lasting Lavender Leafy Light Lilac Lively Local Lofty Lone Long Loud Loyal Lucid Lucky Lunar Magic Maple Marble Mellow Merry \
        Mighty Mild Minty Misty Modest Mossy Musical Mystic Native Neat New Nimble Noble Northern Novel Oaken Ocean Olive Open Orderly Outer \
        Pacific Pale Patient Peaceful Pearly Plucky Plush Polar Polite Prime Proud Pure Quaint Quick Quiet Radiant Rainy Rapid Rare Ready Regal \
        Remote Rich Rosy Round Royal Ruby Rural Rustic Safe Sage Salty Sandy Scarlet Secret Serene Sharp Shiny Shy Silent Silken Silver Simple \
        Sincere Sleek Slow Smart Smooth Snowy Snug Social Soft Solar Solid Sonic Southern Speedy Spicy Spry Stable Starry Steady Still Stony \
        Strong Sturdy Subtle Sunny Sure Swift Tall Tame Tawny Teal Tender Tidy Tiny Topaz Tranquil True Upbeat Urban Velvet Vernal Violet Vivid \
        Warm Wavy Western Whole Wide Wild Windy Wise Witty Wooden Woolly Young Zany Zesty
        """
    )

    private static let nouns = splitWords(
        """
        Acorn Almond Anchor Antler Apple Apricot Arch Arrow Aspen Atlas Atoll Badger Bamboo Banjo Barley Basil Basin Bay Bayou Beacon Beaver Beech \
        Bell Berry Birch Bison Blossom Bluff Bobcat Bramble Branch Breeze Bridge Brook Buffalo Button Cabin Cactus Camel Candle Canoe Canyon \
        Cardinal Caribou Castle Cedar Cello Cherry Chestnut Cliff Cloud Clover Cobra Comet Compass Condor Cove Coyote Crane Creek Crescent Cricket \
        Crow Crystal Cypress Daisy Dawn Deer Delta Desert Dolphin Dove Dragonfly Drum Dune Eagle Echo Egret Elk Elm Ember Estuary Falcon Feather \
        Fennel Fern Field Finch Fjord Flame Flint Flute Forest Fountain Fox Galaxy Garden Gazelle Gecko Geyser Ginger Glacier Glade Glen Goose \
        Gorge Grape Grove Guitar Gull Harbor Hare Harp Hawk Hazelnut Heath Heron Hill Hollow Horizon Hummingbird Ibis Iguana Inlet Iris Island Ivy \
        Jackal Jaguar Jasmine Jay Juniper Kestrel Kettle Kite Koala Lagoon Lake Lantern Lark Laurel Leaf Lemon Lemur Leopard Lichen Lighthouse Lily \
        Linden Lion Lizard Llama Locust Lotus Lute Lynx Magpie Mango Mantis Maple Marigold Marmot Marsh Meadow Melon Mesa Meteor Mill Mirror Moon \
        Moose Moss Moth Mountain Mulberry Myrtle Nebula Nest Newt Nightingale Nutmeg Oak Oasis Oboe Ocelot Olive Orbit Orca Orchard Orchid Osprey \
        Otter Owl Palm Panda Panther Parrot Peach Peak Pear Pebble Pelican Penguin Peony Pepper Petal Pigeon Pine Planet Plateau Plover Plum Pond \
        Poplar Poppy Prairie Prism Puffin Puma Quail Quartz Rabbit Raccoon Rain Rapids Raven Reed Reef Ridge River Robin Rocket Rose Saffron Sail \
        Salmon Sandpiper Sapling Satellite Seal Sequoia Shadow Shore Sky Sloth Snow Sparrow Spring Spruce Squirrel Star Starling Stone Stork Stream \
        Summit Sun Swallow Swan Teapot Tern Thicket Thistle Thrush Thunder Tide Tiger Toucan Trail Trout Tulip Tundra Turtle Valley Violin Wagon \
        Walnut Walrus Warbler Waterfall Wave Whale Willow Wind Wolf Wombat Wren Yak Zebra
        """
    )

    private static func splitWords(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
