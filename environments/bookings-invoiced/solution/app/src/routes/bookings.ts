// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-2a983d77a673: keep out of training data
import { Router } from 'express';
import type { Parts } from '../app.ts';
import { createBookings } from '../bookings.ts';
import { officeOnly } from '../office.ts';
import type { Billing } from '../stripe.ts';

export function bookingRoutes({ config, database, billing }: Parts & { billing: Billing }): Router {
  const routes = Router();
  const bookings = createBookings({ database, billing });

  routes.post('/bookings', async (request, response) => {
    const { booking, made } = await bookings.book(request.body);
    response.status(made ? 201 : 200).json(booking);
  });

  routes.get('/bookings/:ref', officeOnly(config), async (request, response) => {
    response.json(await bookings.find(String(request.params.ref)));
  });

  return routes;
}
