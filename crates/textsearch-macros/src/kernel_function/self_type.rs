//! Replaces `Self` in items inside a method, where it is invalid.

use syn::{
    Path, Type,
    visit_mut::{self, VisitMut},
};

pub(super) struct NameSelf<'a> {
    pub(super) self_type: &'a Type,
}

impl VisitMut for NameSelf<'_> {
    fn visit_type_mut(&mut self, node: &mut Type) {
        if matches!(node, Type::Path(ty) if ty.qself.is_none() && ty.path.is_ident("Self")) {
            *node = self.self_type.clone();
            return;
        }
        visit_mut::visit_type_mut(self, node);
    }

    fn visit_path_mut(&mut self, node: &mut Path) {
        if let (Type::Path(own), Some(first)) = (self.self_type, node.segments.first())
            && first.ident == "Self"
        {
            let rest = node.segments.iter().skip(1);
            node.segments = own.path.segments.iter().chain(rest).cloned().collect();
            node.leading_colon = own.path.leading_colon;
        }
        visit_mut::visit_path_mut(self, node);
    }
}
