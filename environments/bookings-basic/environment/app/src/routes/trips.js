'use strict';

const { Router } = require('express');
const { Problem } = require('../errors');
const { quote } = require('../pricing');
const trips = require('../trips');

function tripRoutes({ database }) {
  const routes = Router();

  // What a party would pay: the calculator on the front page asks here.
  routes.get('/trips/:code/quote', (request, response) => {
    const trip = trips.find(database, request.params.code);
    if (!trip || !trip.on_sale) throw new Problem(404, 'not_found', 'There is no such trip.');
    const people = Number(request.query.people);
    if (!Number.isInteger(people) || people < 1 || people > trip.max_party) {
      throw new Problem(400, 'invalid_request', `A party is 1 to ${trip.max_party} people.`);
    }
    response.json({ trip: trip.code, people, currency: trip.currency, total: quote(trip, people) });
  });

  return routes;
}

module.exports = { tripRoutes };
