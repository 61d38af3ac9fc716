/** Captures of queries on two connections, and the index of their objects. */
import { afterAll, beforeAll, expect } from "vitest";
import type { AppParts } from "../../src/app.ts";
import { indexOutdated } from "../../src/areas/answers/find/jobs.ts";
import { startTestApp, type TestApp, type TestUser } from "./harness.ts";

export const createObject = (className: string, dn: string, attributes: object = {}) => ({
	[className]: { attributes: { dn, ...attributes } },
});

interface ObjectIndex {
	t: TestApp;
	ada: TestUser;
	bob: TestUser;
	/** Connections of ada: a public one, and one of her own. */
	A: string;
	B: string;
	connect(name: string, more?: object): Promise<string>;
	createQuery(more?: object): Promise<string>;
	/** Captures rows of a query on a connection; returns the snapshot's id. */
	captureRows(query: string, connection: string, rows: unknown[]): Promise<string>;
	/** Brings all indexes up to date, as the timer does. */
	updateIndexes(): Promise<void>;
	listRows(query: string): Promise<{ dn: string; presence: string }[]>;
}

/** Sets up one test file. The returned fields are set before its first test begins. */
export function useObjectIndex(users: [string, string], options: { deps?: Partial<AppParts>; work?: boolean } = {}) {
	let serial = 0;
	const index = {
		async connect(name, more = {}) {
			const body = { name, url: "https://apic.example.com", username: "admin", password: "planted", ...more };
			return (await index.ada.api.post("/api/controller/connections/", body)).body.id;
		},
		async createQuery(more = {}) {
			const name = `objects ${++serial}`;
			const body = { name, flow_data: { nodes: [], edges: [] }, enable_time_machine: true, ...more };
			return (await index.ada.api.post("/api/queries/saved-queries/", body)).body.id;
		},
		async captureRows(saved_query_id, connection, rows) {
			await index.t.clock.advance(1000);
			const { body } = await index.ada.api.post("/api/time-machine/capture/", {
				saved_query_id,
				controller_connection_id: connection,
				controller_connection_name: "fabric",
				result_data: { imdata: rows },
			});
			expect(body).toHaveProperty("snapshot_id");
			return body.snapshot_id;
		},
		updateIndexes: () => indexOutdated(index.t.app.context, new AbortController().signal),
		listRows: (query) =>
			index.t.app.context.store.db
				.selectFrom("indexed_objects as o")
				.innerJoin("object_indexes as x", "x.history_id", "o.history_id")
				.select(["o.dn", "o.presence"])
				.where("x.saved_query_id", "=", query)
				.orderBy("o.dn")
				.execute(),
	} as ObjectIndex;
	beforeAll(async () => {
		index.t = await startTestApp(options);
		[index.ada, index.bob] = await Promise.all([index.t.user(users[0]), index.t.user(users[1])]);
		[index.A, index.B] = [await index.connect("fabric a", { is_public: true }), await index.connect("fabric b")];
	});
	afterAll(() => index.t.close());
	return index;
}
