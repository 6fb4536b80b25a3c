// The floor of `http`, a process of its own: the statement of GET /v1/labels, and its rows as JSON, without asking who
// wants them. The organization's id is the path.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openDatabase } from '#/base/db/open.ts'

const { DATABASE_URL: url, MAILROOM_DATA_DIR: directory = '' } = process.env
const { pool } = await openDatabase(url === undefined ? { directory } : { url })
const text = `select id, name, keyword, colour, created_at from labels
  where organization_id = $1 and member_id is null order by created_at, id`

const server = createServer(async (request, response) => {
  const { rows } = await pool.query({ name: 'labels', text, values: [request.url?.slice(1)] })
  const body = JSON.stringify({ data: rows })
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
