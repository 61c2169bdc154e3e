'use strict';

const express = require('express');
const { answer, Problem } = require('./errors');
const { bookingRoutes } = require('./routes/bookings');
const { enquiryRoutes } = require('./routes/enquiries');
const { pageRoutes } = require('./routes/pages');
const { tripRoutes } = require('./routes/trips');

function createApp({ config, database }) {
  const app = express();
  app.disable('x-powered-by');
  app.use(express.json({ limit: '64kb' }));
  app.get('/health', (request, response) => response.json({ ok: true }));
  app.use(pageRoutes({ database }));
  app.use('/api', tripRoutes({ database }));
  app.use('/api', bookingRoutes({ config, database }));
  app.use('/api', enquiryRoutes({ config, database }));
  app.use((request, response, next) => next(new Problem(404, 'not_found', 'There is nothing here.')));
  app.use(answer);
  return app;
}

module.exports = { createApp };
