/**
 * For the benchmark `notifications`: the service with users who have a ticket each; or, as `bare`,
 * a WebSocket server without logic. Prints the client's data as one line of JSON.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { buildApp } from "../../server/dist/app.js";
import { ensureFirstUser } from "../../server/dist/areas/accounts/sign-in/create-local-users.js";
import { readConfig } from "../../server/dist/config.js";
import { openDependencies } from "../../server/dist/open.js";

const PASSWORD = "a password for benchmarks";
const printJson = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
const count = Number(process.argv[3]);

if (process.argv[2] === "bare") {
	const server = createServer((request, response) => {
		let text = "";
		request.on("data", (part) => {
			text += part;
		});
		request.on("end", () => {
			for (const socket of sockets.clients) socket.send(text);
			response.writeHead(201).end();
		});
	});
	const sockets = new WebSocketServer({ server, perMessageDeflate: false });
	sockets.on("connection", (socket) => socket.send("{}"));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	printJson({ url, sockets: Array.from({ length: count }, () => "/"), broadcast: "/", headers: {} });
	process.on("SIGTERM", () => process.exit(0));
} else {
	const opened = await openDependencies(readConfig(process.env));
	const { store, cache, clock, ids } = opened.deps;
	const app = await buildApp(opened.deps);
	await app.work();
	await ensureFirstUser(app.context, "admin", PASSWORD);
	const url = await app.server.listen({ host: "127.0.0.1", port: 0 });
	const { pool } = store as unknown as {
		pool: { query(text: string, values?: unknown[]): Promise<{ rows: { id: string }[] }> };
	};
	const now = new Date(clock.now());
	await pool.query(
		"insert into users (username, username_key, date_joined) select 'user' || n, 'user' || n, $2 from generate_series(1, $1::int) n",
		[count, now],
	);
	await pool.query(
		"insert into user_groups select u.id, g.id from users u, groups g where g.name = 'Users' and u.username like 'user%'",
	);
	const sessions = await pool.query(
		`insert into sessions (id, user_id, created_at, last_seen_at, expires_at)
		select gen_random_uuid(), id, $1, $1, $1::timestamptz + interval '1 day' from users where username like 'user%' returning id`,
		[now],
	);
	const tickets: string[] = [];
	for (const { id } of sessions.rows) {
		const ticket = ids.token(32);
		await cache.set(`ws-ticket:${ticket}`, id, 120_000);
		tickets.push(ticket);
	}
	const login = await fetch(`${url}/api/auth/login/`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ username: "admin", password: PASSWORD }),
	});
	const { access } = (await login.json()) as { access: string };
	printJson({
		url,
		sockets: tickets.map((ticket) => `/ws/notifications/?ticket=${ticket}`),
		broadcast: "/api/notifications/announcements/",
		headers: { authorization: `Bearer ${access}`, "content-type": "application/json" },
	});
	process.on("SIGTERM", async () => {
		await app.close();
		await opened.close(0);
		process.exit(0);
	});
}
