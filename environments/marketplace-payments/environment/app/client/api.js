// Our own server. What it refuses is an Error with its message and code.
export async function api(method, path, body) {
  const answer = await fetch(`/api${path}`, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const data = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (!answer.ok) {
    const error = new Error(data?.error?.message ?? "Something went wrong.");
    error.code = data?.error?.code;
    error.status = answer.status;
    throw error;
  }
  return data;
}
