//! The positions that a pass asks for.

use hashbrown::HashMap;
use shakmaty::Chess;

use deepanalyze_core::chess::PositionKey;
use deepanalyze_core::tree::{Growth, Service};

/// One of the positions of a pass. [`Requests`] alone makes them and never loses one, so that there is always
/// a service behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(usize);

/// What a pass asks for, and the positions it is asked of.
pub struct Requests {
    services: Vec<Service>,
    positions: Vec<Chess>,
    places: HashMap<PositionKey, Place>,
}

impl Requests {
    /// The requests of a pass of this tree.
    pub fn new(growth: &Growth, services: Vec<Service>) -> Requests {
        let positions: Vec<Chess> =
            services.iter().map(|service| growth.position(service.node())).collect();
        let keys = positions.iter().map(PositionKey::of).enumerate();
        let places = keys.map(|(index, key)| (key, Place(index))).collect();
        Requests { services, positions, places }
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.services.len()
    }

    /// The positions of these requests, in their order.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        (0..self.len()).map(Place)
    }

    /// The place of a position, where the pass asks for it.
    pub fn find(&self, position: &Chess) -> Option<Place> {
        self.places.get(&PositionKey::of(position)).copied()
    }

    /// A position and what is asked of it.
    #[expect(clippy::indexing_slicing, reason = "a place is an index of both")]
    pub fn get(&self, place: Place) -> (&Service, &Chess) {
        (&self.services[place.0], &self.positions[place.0])
    }

    /// The same, to be served.
    #[expect(clippy::indexing_slicing, reason = "a place is an index of both")]
    pub fn get_mut(&mut self, place: Place) -> (&mut Service, &Chess) {
        (&mut self.services[place.0], &self.positions[place.0])
    }

    /// All services.
    pub fn services(&self) -> &[Service] {
        &self.services
    }

    /// All services, to be admitted.
    pub fn into_services(self) -> Vec<Service> {
        self.services
    }
}
