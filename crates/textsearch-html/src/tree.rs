//! The tree of a page, filled by the tree builder.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    rc::Rc,
};

use html5ever::{
    Attribute, ExpandedName, QualName,
    interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink},
    local_name, ns,
    tendril::StrTendril,
};

use crate::{
    elements::{Role, role},
    limits::{Excess, Limits},
};

/// Index of the document. It's no node's sibling or child, so it also stands for a missing node.
pub(crate) const DOCUMENT: usize = 0;

#[derive(Debug, Default)]
pub(crate) struct Tree(Vec<Node>);

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) content: Content,
    pub(crate) parent: usize,
    pub(crate) next: usize,
    pub(crate) first: usize,
    previous: usize,
    last: usize,
    /// Number of kept or hidden ancestors, including the node.
    depth: usize,
}

#[derive(Debug)]
pub(crate) enum Content {
    Element { name: Rc<QualName>, attributes: Vec<Attribute>, role: Role },
    Text(StrTendril),
}

#[expect(clippy::indexing_slicing, reason = "only `add` makes indices, and nodes stay")]
impl Tree {
    pub(crate) fn node(&self, id: usize) -> &Node {
        &self.0[id]
    }

    fn node_mut(&mut self, id: usize) -> &mut Node {
        &mut self.0[id]
    }
}

impl Tree {
    fn add(&mut self, content: Content) -> usize {
        let [parent, next, first, previous, last, depth] = [DOCUMENT; 6];
        self.0.push(Node { content, parent, next, first, previous, last, depth });
        self.0.len() - 1
    }

    /// Inserts a node without parent before `next`, or as the last child. Returns its depth.
    fn insert(&mut self, id: usize, parent: usize, next: usize) -> usize {
        let previous = self.before(parent, next);
        let is_counted = matches!(
            self.node(id).content,
            Content::Element { role: Role::Kept(_) | Role::Hidden, .. }
        );
        let depth = self.node(parent).depth + usize::from(is_counted);
        let node = self.node_mut(id);
        (node.parent, node.previous, node.next, node.depth) = (parent, previous, next, depth);
        self.link(parent, previous, id);
        self.link_back(parent, next, id);
        depth
    }

    fn insert_text(&mut self, text: &StrTendril, parent: usize, next: usize) {
        let previous = self.before(parent, next);
        if previous != DOCUMENT
            && let Content::Text(before) = &mut self.node_mut(previous).content
        {
            before.push_tendril(text);
        } else {
            let id = self.add(Content::Text(text.clone()));
            self.insert(id, parent, next);
        }
    }

    fn before(&self, parent: usize, next: usize) -> usize {
        if next == DOCUMENT { self.node(parent).last } else { self.node(next).previous }
    }

    fn unlink(&mut self, id: usize) {
        let Node { parent, previous, next, .. } = *self.node(id);
        if parent != DOCUMENT {
            self.link(parent, previous, next);
            self.link_back(parent, next, previous);
        }
        let node = self.node_mut(id);
        [node.parent, node.previous, node.next] = [DOCUMENT; 3];
    }

    fn link(&mut self, parent: usize, previous: usize, id: usize) {
        if previous == DOCUMENT {
            self.node_mut(parent).first = id;
        } else {
            self.node_mut(previous).next = id;
        }
    }

    fn link_back(&mut self, parent: usize, next: usize, id: usize) {
        if next == DOCUMENT {
            self.node_mut(parent).last = id;
        } else {
            self.node_mut(next).previous = id;
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Handle {
    pub(crate) id: usize,
    name: Rc<QualName>,
    /// Whether it's an `annotation-xml` of MathML that contains HTML.
    integration: bool,
}

/// Counts what the tree costs while the tree builder fills it.
#[derive(Debug)]
pub(crate) struct Sink<'limits> {
    pub(crate) tree: RefCell<Tree>,
    limits: &'limits Limits,
    elements: Cell<usize>,
    work: Cell<usize>,
    /// Number of visits to open elements, plus moves.
    pub(crate) steps: Cell<usize>,
    /// The element that the tree builder visited last.
    pub(crate) seen: Cell<usize>,
    excess: Cell<Option<Excess>>,
}

impl<'limits> Sink<'limits> {
    pub(crate) fn new(limits: &'limits Limits) -> Self {
        let sink = Self {
            tree: RefCell::default(),
            limits,
            elements: Cell::new(0),
            work: Cell::new(0),
            steps: Cell::new(0),
            seen: Cell::new(DOCUMENT),
            excess: Cell::new(None),
        };
        sink.tree.borrow_mut().add(Content::Text(StrTendril::new()));
        sink
    }

    pub(crate) fn excess(&self) -> Option<Excess> {
        self.excess.get()
    }

    pub(crate) fn count(&self, steps: usize) {
        self.steps.set(self.steps.get() + steps);
    }

    fn put(&self, child: NodeOrText<Handle>, parent: usize, next: usize) {
        let mut tree = self.tree.borrow_mut();
        match child {
            NodeOrText::AppendText(text) => tree.insert_text(&text, parent, next),
            // Comments have no node.
            NodeOrText::AppendNode(node) if node.id == DOCUMENT => {}
            NodeOrText::AppendNode(node) => {
                tree.unlink(node.id);
                let depth = tree.insert(node.id, parent, next);
                self.work.set(self.work.get() + 2 * depth);
                let Limits { max_depth, max_work, .. } = *self.limits;
                if depth > max_depth {
                    self.excess.set(Some(Excess::Depth(max_depth)));
                } else if self.work.get() > max_work {
                    self.excess.set(Some(Excess::Work(max_work)));
                }
            }
        }
    }
}

impl TreeSink for Sink<'_> {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a>
        = ExpandedName<'a>
    where
        Self: 'a;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        let name = Rc::new(QualName::new(None, ns!(), local_name!("")));
        Handle { id: DOCUMENT, name, integration: false }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.count(1);
        self.seen.set(target.id);
        target.name.expanded()
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Handle {
        self.elements.set(self.elements.get() + 1);
        if self.elements.get() > self.limits.max_elements {
            self.excess.set(Some(Excess::Elements(self.limits.max_elements)));
        }
        let (name, role) = (Rc::new(name.clone()), role(&name, &attributes));
        let content = Content::Element { name: Rc::clone(&name), attributes, role };
        let id = self.tree.borrow_mut().add(content);
        Handle { id, name, integration: flags.mathml_annotation_xml_integration_point }
    }

    fn create_comment(&self, _text: StrTendril) -> Handle {
        self.get_document()
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Handle {
        self.get_document()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.put(child, parent.id, DOCUMENT);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        if self.tree.borrow().node(element.id).parent == DOCUMENT {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.clone()
    }

    fn same_node(&self, left: &Handle, right: &Handle) -> bool {
        self.count(1);
        left.id == right.id
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, node: NodeOrText<Handle>) {
        let parent = self.tree.borrow().node(sibling.id).parent;
        self.put(node, parent, sibling.id);
    }

    fn add_attrs_if_missing(&self, target: &Handle, more: Vec<Attribute>) {
        let mut tree = self.tree.borrow_mut();
        if let Content::Element { attributes, .. } = &mut tree.node_mut(target.id).content {
            for attribute in more {
                if attributes.iter().all(|own| own.name != attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.tree.borrow_mut().unlink(target.id);
    }

    fn reparent_children(&self, node: &Handle, parent: &Handle) {
        let mut tree = self.tree.borrow_mut();
        loop {
            let child = tree.node(node.id).first;
            if child == DOCUMENT {
                break;
            }
            self.count(1);
            tree.unlink(child);
            tree.insert(child, parent.id, DOCUMENT);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        target.integration
    }
}
