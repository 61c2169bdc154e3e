// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-f2112f17e735: keep out of training data
'use strict';

const { Router } = require('express');
const { createBookings } = require('../bookings');
const { later } = require('../errors');
const { officeOnly } = require('../office');

function bookingRoutes({ config, database, payments }) {
  const routes = Router();
  const bookings = createBookings({ database, payments });

  routes.post('/bookings', later(async (request, response) => {
    const { booking, made } = await bookings.book(request.body);
    response.status(made ? 201 : 200).json(booking);
  }));

  routes.get('/bookings', officeOnly(config), later(async (request, response) => {
    response.json({ bookings: await bookings.list() });
  }));

  routes.post('/bookings/:id/refund', officeOnly(config), later(async (request, response) => {
    response.json(await bookings.refund(request.params.id));
  }));

  return routes;
}

module.exports = { bookingRoutes };
