//! What images a search for images finds.

use textsearch_core::web::closed_set;

closed_set! {
    /// The size of an image.
    pub enum GoogleImageSize {
        /// The largest.
        Huge = "huge",
        /// As small as icons are.
        Icon = "icon",
        /// Large.
        Large = "large",
        /// Between large and small.
        Medium = "medium",
        /// Small.
        Small = "small",
        /// Larger than large.
        XLarge = "xlarge",
        /// Larger still.
        XxLarge = "xxlarge",
    }
}

closed_set! {
    /// What kind of image it is.
    pub enum GoogleImageType {
        /// A simple drawing.
        Clipart = "clipart",
        /// A picture of a face.
        Face = "face",
        /// A drawing of lines.
        Lineart = "lineart",
        /// A picture of an image agency.
        Stock = "stock",
        /// A photograph.
        Photo = "photo",
        /// A moving picture.
        Animated = "animated",
    }
}

closed_set! {
    /// How colourful an image is.
    pub enum GoogleImageColorType {
        /// In colours.
        Color = "color",
        /// In shades of grey.
        Gray = "gray",
        /// In black and white.
        Mono = "mono",
        /// With a transparent background.
        Transparent = "trans",
    }
}

closed_set! {
    /// The main colour of an image.
    pub enum GoogleImageColor {
        /// Black.
        Black = "black",
        /// Blue.
        Blue = "blue",
        /// Brown.
        Brown = "brown",
        /// Grey.
        Gray = "gray",
        /// Green.
        Green = "green",
        /// Orange.
        Orange = "orange",
        /// Pink.
        Pink = "pink",
        /// Purple.
        Purple = "purple",
        /// Red.
        Red = "red",
        /// Teal.
        Teal = "teal",
        /// White.
        White = "white",
        /// Yellow.
        Yellow = "yellow",
    }
}
