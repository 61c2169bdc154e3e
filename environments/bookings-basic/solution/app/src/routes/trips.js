// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-da8f0340bec1: keep out of training data
'use strict';

const { Router } = require('express');
const { Problem } = require('../errors');
const { quote } = require('../pricing');
const trips = require('../trips');

function tripRoutes({ database }) {
  const routes = Router();

  routes.get('/trips', (request, response) => {
    const list = trips.onSale(database).map(({ code, name, currency, price, deposit_percent, max_party }) => (
      { code, name, currency, price, deposit_percent, max_party }
    ));
    list.sort((a, b) => (a.code < b.code ? -1 : 1));
    response.json({ trips: list });
  });

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
