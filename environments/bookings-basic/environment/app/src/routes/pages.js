'use strict';

const { Router } = require('express');
const money = require('../money');
const trips = require('../trips');

const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

function pageRoutes({ database }) {
  const routes = Router();

  routes.get('/', (request, response) => {
    const items = trips.onSale(database).map(
      (trip) => `<li id="${trip.code}"><h2>${escape(trip.name)}</h2><p>${escape(trip.blurb)}</p>`
        + `<p>${money.show(trip.price, trip.currency)} each, up to ${trip.max_party} people</p></li>`,
    );
    response.type('html').send(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Corrie &amp; Kelp</title></head>
<body><h1>Corrie &amp; Kelp</h1><p>Guided days out on hill and sea since 2009. Ring Mairi, or send an enquiry.</p>
<ul>${items.join('\n')}</ul></body></html>`);
  });

  return routes;
}

module.exports = { pageRoutes };
