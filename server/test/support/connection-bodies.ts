/** Controller connections to addresses that no test reaches. */
import { expect } from "vitest";
import type { Answer, Api } from "./harness.ts";

export const CONNECTIONS = "/api/controller/connections/";
/** The password of each connection, which must appear nowhere. */
export const PLANTED = "planted-Passw0rd-7731";
export const UNKNOWN = "01890000-0000-7000-8000-000000000000";

export interface ConnectionBodies {
	/** The fields of a connection with a name of its own. */
	buildBody(fields?: Record<string, unknown>): Record<string, unknown>;
	/** Adds such a connection; returns its record. */
	addConnection(api: Api, fields?: Record<string, unknown>): Promise<Answer["body"]>;
}

/** Creates bodies whose names are unique within one test file. */
export function createConnectionBodies(): ConnectionBodies {
	let counter = 0;
	const buildBody = (fields: Record<string, unknown> = {}) => ({
		name: `Fabric ${++counter}`,
		url: "https://apic.example.com",
		username: "admin",
		password: PLANTED,
		...fields,
	});
	return {
		buildBody,
		async addConnection(api, fields = {}) {
			const answer = await api.post(CONNECTIONS, buildBody(fields));
			expect(answer.status).toBe(201);
			return answer.body;
		},
	};
}
