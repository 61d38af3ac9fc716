/** Queries with a history, captures with given rows, and set-up of tests of histories. */
import { afterAll, beforeAll, expect } from "vitest";
import { type Answer, type Api, startTestApp, type TestApp, type TestUser } from "./harness.ts";

export const TM = "/api/time-machine/";

const createObject = (className: string, attributes: Record<string, unknown>) => ({
	[className]: { attributes },
});
/** An answer of a controller with these rows. */
export const createAnswer = (...rows: unknown[]) => ({ totalCount: String(rows.length), imdata: rows });
export const createBridgeDomain = (name: string, more: object = {}) =>
	createObject("fvBD", { dn: `uni/tn-a/BD-${name}`, name, ...more });

export interface Histories {
	t: TestApp;
	ada: TestUser;
	bob: TestUser;
	/** Adds a query of the user whose results are captured; returns its id. */
	createQuery(user?: TestUser, fields?: object): Promise<string>;
	/** Captures rows, which must make a snapshot; returns its id. */
	captureRows(saved_query_id: string, rows: unknown[], user?: TestUser, more?: object): Promise<string>;
	getTimeMachine(path: string, user?: TestUser): Promise<Answer>;
}

/** Sets up one test file. The returned fields are set before its first test begins. */
export function useHistories(options: { poolSize?: number; work?: boolean } = {}): Histories {
	let serial = 0;
	const histories = {
		async createQuery(user = histories.ada, fields = {}) {
			const made = await user.api.post("/api/queries/saved-queries/", {
				name: `query ${++serial}`,
				flow_data: { nodes: [], edges: [] },
				enable_time_machine: true,
				...fields,
			});
			expect(made.status).toBe(201);
			return made.body.id;
		},
		async captureRows(saved_query_id, rows, user = histories.ada, more = {}) {
			const { body } = await user.api.post(`${TM}capture/`, { saved_query_id, result_data: { imdata: rows }, ...more });
			expect(body).toHaveProperty("snapshot_id");
			return body.snapshot_id;
		},
		getTimeMachine: (path, user = histories.ada) => user.api.get(`${TM}${path}`),
	} as Histories;
	beforeAll(async () => {
		const t = await startTestApp(options);
		const [ada, bob] = await Promise.all([t.user("ada"), t.user("bob")]);
		Object.assign(histories, { t, ada, bob });
	});
	afterAll(() => histories.t.close());
	return histories;
}

export const postCapture = (api: Api, body: object): Promise<Answer> => api.post(`${TM}capture/`, body);

/** Captures a snapshot, which must succeed; returns its id. */
export async function captureSnapshot(api: Api, body: object): Promise<string> {
	const { status, body: outcome } = await postCapture(api, body);
	expect({ status, outcome }).toMatchObject({ status: 200, outcome: { success: true } });
	expect(outcome).toHaveProperty("snapshot_id");
	return outcome.snapshot_id;
}

export const getSnapshot = (api: Api, id: string) => api.get(`${TM}snapshots/${id}/`);
export const listSnapshots = (api: Api, id: string, more = "") =>
	api.get(`${TM}snapshots/?saved_query_id=${id}${more}`);

/** Captures result_data given as text. */
export const captureText = (api: Api, text: string | Buffer, fields: object = {}) =>
	api.send(
		"POST",
		`${TM}capture/`,
		Buffer.concat([
			Buffer.from(`{${JSON.stringify({ query_name: "raw", ...fields }).slice(1, -1)},"result_data":`),
			Buffer.from(text),
			Buffer.from("}"),
		]),
		{ "content-type": "application/json" },
	);
