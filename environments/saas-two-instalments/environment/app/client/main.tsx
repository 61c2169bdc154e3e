import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter, Route, Routes } from "react-router-dom";

import { Activity } from "./pages/Activity.tsx";
import { Landing } from "./pages/Landing.tsx";
import { Missing } from "./pages/Missing.tsx";
import { Pricing } from "./pages/Pricing.tsx";
import { SignIn } from "./pages/SignIn.tsx";
import { SignUp } from "./pages/SignUp.tsx";
import { Studio } from "./pages/Studio.tsx";
import { Frame } from "./parts/Frame.tsx";
import { SessionProvider } from "./session.tsx";
import "./styles.css";

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <BrowserRouter>
      <SessionProvider>
        <Routes>
          <Route element={<Frame />}>
            <Route index element={<Landing />} />
            <Route path="pricing" element={<Pricing />} />
            <Route path="sign-in" element={<SignIn />} />
            <Route path="sign-up" element={<SignUp />} />
            <Route path="studio" element={<Studio />} />
            <Route path="activity" element={<Activity />} />
            <Route path="*" element={<Missing />} />
          </Route>
        </Routes>
      </SessionProvider>
    </BrowserRouter>
  </StrictMode>,
);
