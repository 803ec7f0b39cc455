//! Comparison with the renderer of the `handlebars` crate, for templates that it renders like
//! Handlebars.js. It formats lists and objects differently, for example.

use ::handlebars::{Handlebars, no_escape};
use proptest::prelude::*;
use serde_json::{Value, json};
use textsearch_kernel::Kernel;
use tokio::runtime::Builder;

use crate::support::{arguments, handlebars, kernel, render};

fn data() -> Value {
    let item = |name: &str, size: i32| json!({ "name": name, "size": size, "tags": ["t", name] });
    json!({
        "name": "root", "size": 7, "tags": ["x", "y", "z"], "yes": true, "no": false, "empty": [], "blank": "",
        "owner": item("Ada", 2), "items": [item("one", 1), item("two", 2), item("<&>", 3)],
    })
}

struct Maker<'c> {
    choices: std::slice::Iter<'c, u8>,
    /// The context of each enclosing block: an object with a name, a size and tags, or a text.
    about: Vec<About>,
}

#[derive(Clone, Copy, PartialEq)]
enum About {
    Root,
    Object,
    Text,
}

impl Maker<'_> {
    fn choice(&mut self, count: u8) -> u8 {
        self.choices.next().map_or(0, |choice| choice % count)
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        let count = u8::try_from(texts.len()).unwrap();
        texts[usize::from(self.choice(count))]
    }

    fn tag(&mut self, inside: &str) -> String {
        let left = self.pick(&["", "", "~"]);
        let right = self.pick(&["", "", "~"]);
        format!("{{{{{left}{inside}{right}}}}}")
    }

    /// From here or from an enclosing block.
    fn member(&mut self, name: &str) -> String {
        let objects =
            self.about.iter().rev().enumerate().filter(|(_, about)| **about != About::Text);
        let objects: Vec<_> = objects.map(|(up, _)| "../".repeat(up)).collect();
        let prefix = &objects[usize::from(self.choice(u8::try_from(objects.len()).unwrap()))];
        let root = ["@root.", "@root.owner.", prefix, prefix][usize::from(self.choice(4))];
        format!("{root}{name}")
    }

    fn text(&mut self) -> String {
        match self.choice(6) {
            0 => self.member("size"),
            1 => self.member("tags.[1]"),
            2 if self.about.last() == Some(&About::Text) => "this".to_owned(),
            3 if self.about.len() > 1 => self.pick(&["@index", "@first", "@last"]).to_owned(),
            4 => self.pick(&["missing", "blank", "owner.missing", "@root.missing.more"]).to_owned(),
            _ => self.member("name"),
        }
    }

    fn call(&mut self) -> String {
        let left = self.text();
        let right = self.text();
        match self.choice(6) {
            0 => format!("lookup {} {}", self.member("tags"), self.pick(&["0", "1", "9"])),
            1 => format!("lookup @root.owner {}", self.pick(&["'name'", "'size'", "'none'"])),
            2 => format!("len {}", self.member("tags")),
            3 => format!("{} {left} {right}", self.pick(&["gt", "gte", "lt", "lte"])),
            4 => format!("not (and {left} {right})"),
            _ => format!("{} {left} {right}", self.pick(&["eq", "ne"])),
        }
    }

    fn condition(&mut self) -> String {
        match self.choice(4) {
            0 => self.pick(&["@root.yes", "@root.no", "@root.empty", "missing"]).to_owned(),
            1 => self.member("tags"),
            2 => format!("({})", self.call()),
            _ => self.text(),
        }
    }

    fn block(&mut self, first: &str, about: Option<About>, last: &str) -> String {
        let first = self.tag(first);
        let depth = self.about.len();
        self.about.extend(about);
        let mut block = first + &self.template();
        self.about.truncate(depth);
        if self.choice(3) == 0 {
            block += &self.tag("else");
            block += &self.template();
        }
        block + &self.tag(last)
    }

    fn piece(&mut self) -> String {
        match self.choice(12) {
            0 | 1 => {
                let text = self.text();
                self.tag(&text)
            }
            2 => format!("{{{{{{{}}}}}}}", self.text()),
            3 => {
                let call = self.call();
                self.tag(&call)
            }
            4 => {
                let name = self.pick(&["if", "unless"]);
                let condition = self.condition();
                self.block(&format!("#{name} {condition}"), None, &format!("/{name}"))
            }
            5 => {
                let condition = self.condition();
                let alternative = self.condition();
                let first = self.template();
                let last = self.template();
                format!("{{{{#if {condition}}}}}{first}{{{{else if {alternative}}}}}{last}{{{{/if}}}}")
            }
            6 => {
                let names = self.pick(&["", " as |item|", " as |item at|"]);
                self.block(&format!("#each @root.items{names}"), Some(About::Object), "/each")
            }
            7 => {
                let list = self.member("tags");
                self.block(&format!("#each {list}"), Some(About::Text), "/each")
            }
            8 => {
                let value = self.pick(&["@root.owner", "(lookup @root.items 1)", "missing"]);
                self.block(&format!("#with {value}"), Some(About::Object), "/with")
            }
            9 => self.pick(&["{{! c }}", "{{!-- }} --}}", "\\{{x}}", "{{{{raw}}}}{{x}}{{{{/raw}}}}"]).to_owned(),
            10 => self.pick(&["{{> part}}", "{{> part @root.owner}}", "{{> part name='n'}}"]).to_owned(),
            _ => "{{#each @root.items as |item at|}}{{at}}{{item.name}}{{#with item}}{{name}}{{/with}}{{/each}}".to_owned(),
        }
    }

    fn template(&mut self) -> String {
        let mut template = String::new();
        for _ in 0..self.choice(4) {
            template += self.pick(&["", "a", " ", "\n", "\n  ", "b\r\n"]);
            template += &self.piece();
            template += self.pick(&["", "c", " ", "\n", "  \n", "."]);
        }
        template
    }
}

fn ours(kernel: &Kernel, template: &str) -> String {
    let config = handlebars(template);
    let data = arguments(data());
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.block_on(render(kernel, &config, &data)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn templates_without_calls_render_as_in_the_crate(choices in prop::collection::vec(any::<u8>(), 0..120)) {
        let mut maker = Maker { choices: choices.iter(), about: vec![About::Root] };
        let template = format!("{{{{#*inline 'part'}}}}<{{{{name}}}}>{{{{/inline}}}}|{}", maker.template());
        let mut registry = Handlebars::new();
        registry.register_escape_fn(no_escape);
        let theirs = registry.render_template(&template, &data()).unwrap();
        prop_assert_eq!(ours(&kernel(), &template), theirs, "{}", template);
    }
}
