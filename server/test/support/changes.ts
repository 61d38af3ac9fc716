/** Saved queries whose captures fill the feed of changes. */
import type { FeedEntry } from "@weft/contracts";
import { expect } from "vitest";
import { createConnectionBodies } from "./connection-bodies.ts";
import { type Api, type TestApp, type TestUser, waitUntil } from "./harness.ts";

type Row = Record<string, unknown>;
export const CHANGES = "/api/changes/";
const MINUTE = 60_000;

export const createObject = (kind: string, dn: string, attributes: Row = {}): Row => ({
	[kind]: { attributes: { dn, ...attributes } },
});
export const createDomain = (name: string, attributes: Row = {}, tenant = "a") =>
	createObject("fvBD", `uni/tn-${tenant}/BD-${name}`, { name, ...attributes });

export interface Feed {
	addConnection(user: TestUser, fields?: Row): Promise<{ id: string; name: string }>;
	addQuery(user: TestUser, fields?: Row): Promise<{ id: string; name: string }>;
	/** Captures rows a minute after the last capture; returns the id of the snapshot. */
	capture(user: TestUser, query: string, connection: string, rows: readonly Row[], minutes?: number): Promise<string>;
	/** Waits until every snapshot is in the feed. */
	settle(): Promise<void>;
	/** The entries of the first page. */
	list(api: Api, parameters?: string): Promise<FeedEntry[]>;
}

export function createFeed(t: () => TestApp): Feed {
	const bodies = createConnectionBodies();
	let serial = 0;
	return {
		addConnection: (user, fields) => bodies.addConnection(user.api, fields),
		async addQuery(user, fields = {}) {
			const { status, body, text } = await user.api.post("/api/queries/saved-queries/", {
				name: `Changes ${String(++serial).padStart(3, "0")}`,
				flow_data: {
					nodes: [{ id: "a", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fvBD" } }],
					edges: [],
				},
				enable_time_machine: true,
				...fields,
			});
			expect(status, text).toBe(201);
			return body;
		},
		async capture(user, query, connection, rows, minutes = 1) {
			await t().clock.advance(minutes * MINUTE);
			const { body, text } = await user.api.post("/api/time-machine/capture/", {
				saved_query_id: query,
				controller_connection_id: connection,
				result_data: { imdata: rows },
			});
			expect(body, text).toMatchObject({ success: true, snapshot_id: expect.any(String) });
			return body.snapshot_id;
		},
		async settle() {
			await waitUntil("every snapshot is in the feed", async () => {
				const { rows } = await t().pool.query(`select 1 from snapshot_histories h left join change_cursors c
					on c.history_id = h.id where h.saved_query_id is not null and coalesce(c.position, 0) < (
						select max(position) from snapshots s where s.history_id = h.id)`);
				return rows.length === 0;
			});
		},
		async list(api, parameters = "") {
			const { status, body, text } = await api.get(`${CHANGES}?${parameters}`);
			expect(status, text).toBe(200);
			return body.results;
		},
	};
}
