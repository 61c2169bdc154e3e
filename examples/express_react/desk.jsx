// The seller's desk in React: payments and balances of the account that the server opened a session for.
import { loadConnectAndInitialize } from "@stripe/connect-js";
import { ConnectBalances, ConnectComponentsProvider, ConnectPayments } from "@stripe/react-connect-js";
import { useState } from "react";
import { createRoot } from "react-dom/client";

async function fetchClientSecret(role) {
  const answer = await fetch("/account_session", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ role }) });
  if (!answer.ok) throw new Error("no session");
  return (await answer.json()).client_secret;
}

function Desk({ role, onLeave }) {
  const [trouble, setTrouble] = useState(null);
  const [instance] = useState(() => loadConnectAndInitialize({
    publishableKey: STRIPE_KEY, fetchClientSecret: () => fetchClientSecret(role),
    appearance: { variables: { colorPrimary: "#3f5d34", borderRadius: "3px" } } }));
  return (
    <ConnectComponentsProvider connectInstance={instance}>
      <p>Signed in as {role}. <button onClick={() => instance.logout().then(onLeave)}>Sign out</button></p>
      {trouble && <p role="alert">{trouble}</p>}
      <ConnectPayments onLoadError={({ error }) => setTrouble(error.message)} />
      {role === "owner" && <ConnectBalances />}
    </ConnectComponentsProvider>
  );
}

function App() {
  const [role, setRole] = useState(null);
  return (
    <main>
      <h1>Seller's desk</h1>
      {role ? <Desk role={role} onLeave={() => setRole(null)} />
        : ["owner", "clerk"].map((name) => <button key={name} onClick={() => setRole(name)}>Sign in as {name}</button>)}
    </main>
  );
}

createRoot(document.getElementById("root")).render(<App />);
