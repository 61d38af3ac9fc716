/** Short ways to make checks, run their query and read their states. */
import { expect } from "vitest";
import { buildClassNode, createCanvas, QUERIES, RUNS } from "./canvases.ts";
import { type Api, type TestApp, waitUntil } from "./harness.ts";

export const CHECKS = "/api/checks/";

let names = 0;

export function getChecks(api: Api, t: () => TestApp) {
	const getState = async (id: string, connection: string | null) =>
		(await api.get(`${CHECKS}${id}/`)).body.states.find(
			(entry: { controller_connection_id: string | null }) => entry.controller_connection_id === connection,
		);

	return {
		async query(className = "fvTenant", fields: object = {}): Promise<string> {
			const { status, body, text } = await api.post(QUERIES, {
				name: `Query of checks ${++names}`,
				flow_data: createCanvas([buildClassNode(className)]),
				...fields,
			});
			expect(status, text).toBe(201);
			return body.id;
		},

		async add(fields: Record<string, unknown>) {
			const { status, body, text } = await api.post(CHECKS, { name: `Check ${++names}`, ...fields });
			expect(status, text).toBe(201);
			return body;
		},

		/** Runs the query in the background, until its end is recorded. Answers the run's id. */
		async run(query: string, connection: string): Promise<string> {
			const { status, body, text } = await api.post(`${QUERIES}${query}/execute_background/`, {
				controller_connection_id: connection,
			});
			expect(status, text).toBe(202);
			await waitUntil("the end of the run is recorded", async () => {
				const { rows } = await t().pool.query("select finished_at from query_runs where job_id = $1", [body.id]);
				return rows[0]?.finished_at !== null;
			});
			expect((await api.get(`${RUNS}${body.id}/`)).body.status).not.toBe("running");
			return body.id;
		},

		getState: getState,
		/** The entry once it is in a state. */
		becomes: (id: string, connection: string | null, state: string) =>
			waitUntil(`the check is ${state}`, async () => {
				const entry = await getState(id, connection);
				return entry?.state === state ? entry : null;
			}),
		detail: async (id: string) => (await api.get(`${CHECKS}${id}/`)).body,
		events: async (id: string, query = "") => (await api.get(`${CHECKS}${id}/events/${query}`)).body.results,
		evidence: async (id: string, connection: string | null) =>
			(await api.get(`${CHECKS}${id}/states/${connection ?? "all"}/`)).body,
		/** Notifications about checks, the oldest first. */
		async notices() {
			const { body } = await api.get("/api/notifications/notifications/?page_size=200");
			return body.results.filter(({ link }: { link: string }) => link.startsWith(CHECKS)).reverse() as {
				title: string;
				body: string;
				severity: string;
				category: string;
				link: string;
			}[];
		},
	};
}
