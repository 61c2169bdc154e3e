// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-9e2817dbe14c: keep out of training data
import { createRouter, createWebHistory } from "vue-router";

import Dashboard from "./pages/Dashboard.vue";
import Items from "./pages/dashboard/Items.vue";
import Orders from "./pages/dashboard/Orders.vue";
import Payments from "./pages/dashboard/Payments.vue";
import Item from "./pages/Item.vue";
import Market from "./pages/Market.vue";
import Missing from "./pages/Missing.vue";
import Ordered from "./pages/Ordered.vue";
import SignIn from "./pages/SignIn.vue";
import SignUp from "./pages/SignUp.vue";
import { whoIsThere } from "./session.js";

export const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: "/", component: Market },
    { path: "/shops/:slug", component: Market },
    { path: "/items/:id", component: Item },
    { path: "/ordered/:id", component: Ordered },
    { path: "/sign-in", component: SignIn },
    { path: "/sign-up", component: SignUp },
    {
      path: "/dashboard",
      component: Dashboard,
      meta: { sellers: true },
      children: [
        { path: "", component: Items },
        { path: "orders", component: Orders },
        { path: "payments", component: Payments },
      ],
    },
    { path: "/:path(.*)*", component: Missing },
  ],
});

router.beforeEach(async (to) => {
  if (to.matched.some((one) => one.meta.sellers) && !(await whoIsThere())) return "/sign-in";
  return true;
});
