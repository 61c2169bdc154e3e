'use strict';

// What a party pays. The only place that knows: the website, the office and the leaflets all quote from here.

/** The whole price of a trip for a party, in minor units. From `group_from` people on, everybody pays less. */
function quote(trip, people) {
  const full = trip.price * people;
  if (!trip.group_from || people < trip.group_from) return full;
  return full - Math.round((full * trip.group_percent) / 100);
}

module.exports = { quote };
