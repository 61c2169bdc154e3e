'use strict';

const { Router } = require('express');
const enquiries = require('../enquiries');
const { Problem } = require('../errors');
const { officeOnly } = require('../office');
const trips = require('../trips');

function enquiryRoutes({ config, database }) {
  const routes = Router();

  routes.post('/enquiries', (request, response) => {
    const { trip: code, people, name, email, message } = request.body || {};
    const trip = trips.find(database, code);
    if (!trip || !trip.on_sale) throw new Problem(400, 'invalid_request', 'There is no such trip.');
    if (!Number.isInteger(people) || people < 1) throw new Problem(400, 'invalid_request', 'How many are you?');
    if (typeof name !== 'string' || !name.trim() || typeof email !== 'string' || !email.includes('@')) {
      throw new Problem(400, 'invalid_request', 'We need a name and an e-mail address to answer.');
    }
    const id = enquiries.add(database, {
      trip, people, name: name.trim(), email: email.trim(), message: String(message || ''),
    });
    response.status(201).json({ id });
  });

  routes.get('/enquiries', officeOnly(config), (request, response) => {
    response.json({ enquiries: enquiries.open(database) });
  });

  return routes;
}

module.exports = { enquiryRoutes };
