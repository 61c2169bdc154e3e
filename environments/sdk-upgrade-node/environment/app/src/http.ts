// A small JSON server: addresses with :names, bodies that are objects, answers that are [status, body].
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { answerTo } from './problems.ts'

export interface Asked {
  params: Record<string, string>
  query: URLSearchParams
  body: Record<string, unknown>
}

export type Handler = (asked: Asked) => Promise<[number, unknown]>
export type Routes = Record<string, Handler>

export function serve(routes: Routes): Server {
  const table = Object.entries(routes).map(([name, handler]) => {
    const [method, path] = name.split(' ')
    return { method, parts: path.split('/'), handler }
  })
  return createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://desk')
    const parts = url.pathname.split('/')
    let status = 404
    let answer: unknown = { error: 'no such address' }
    for (const route of table) {
      const params = route.method === request.method ? match(route.parts, parts) : null
      if (params === null) continue
      try {
        ;[status, answer] = await route.handler({ params, query: url.searchParams, body: await bodyOf(request) })
      } catch (problem) {
        console.warn(`${request.method} ${url.pathname}: ${problem}`)
        ;[status, answer] = failure(problem)
      }
      break
    }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer) + '\n')
  })
}

function failure(problem: unknown): [number, unknown] {
  try {
    return answerTo(problem)
  } catch (unknown) {
    console.error(unknown)
    return [500, { error: 'our fault' }]
  }
}

function match(wanted: string[], given: string[]): Record<string, string> | null {
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [position, part] of wanted.entries()) {
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(given[position])
    else if (part !== given[position]) return null
  }
  return params
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return body !== null && typeof body === 'object' && !Array.isArray(body) ? (body as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
