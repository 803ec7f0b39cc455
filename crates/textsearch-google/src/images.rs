//! Filters for image searches.

use textsearch_core::web::closed_set;

closed_set! {
    /// Size of an image.
    pub enum GoogleImageSize {
        /// The largest size.
        Huge = "huge",
        /// Icon size.
        Icon = "icon",
        /// Large.
        Large = "large",
        /// Medium.
        Medium = "medium",
        /// Small.
        Small = "small",
        /// Extra large.
        XLarge = "xlarge",
        /// Extra extra large.
        XxLarge = "xxlarge",
    }
}

closed_set! {
    /// Kind of an image.
    pub enum GoogleImageType {
        /// Clip art.
        Clipart = "clipart",
        /// A face.
        Face = "face",
        /// A line drawing.
        Lineart = "lineart",
        /// A stock image.
        Stock = "stock",
        /// A photograph.
        Photo = "photo",
        /// An animated image.
        Animated = "animated",
    }
}

closed_set! {
    /// Colour type of an image.
    pub enum GoogleImageColorType {
        /// In colour.
        Color = "color",
        /// In grey scale.
        Gray = "gray",
        /// Black and white.
        Mono = "mono",
        /// With a transparent background.
        Transparent = "trans",
    }
}

closed_set! {
    /// Dominant colour of an image.
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
