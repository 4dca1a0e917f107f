//! Layers on top of each other, by figment.

use figment::value::{Dict, Map};
use figment::{Figment, Metadata, Profile, Provider};

use crate::layer::Layer;

/// The layers' entries of the section, a later layer over an earlier one.
pub(crate) fn merged<'l>(layers: impl IntoIterator<Item = &'l Layer>) -> Dict {
    let figment = layers.into_iter().fold(Figment::new(), |figment, layer| figment.merge(layer));
    figment.data().ok().and_then(|mut profiles| profiles.remove(&Profile::Default)).unwrap_or_default()
}

impl Provider for &Layer {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.kind.word())
    }

    fn data(&self) -> figment::Result<Map<Profile, Dict>> {
        Ok(Profile::Default.collect(self.section.clone()))
    }
}
