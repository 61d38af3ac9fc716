/** Saved queries in few words, for their tests. */
import { expect } from "vitest";
import type { TestUser } from "./harness.ts";

export const PATH = "/api/queries/saved-queries/";
export const LOGS = "/api/queries/execution-logs/";
export const EMPTY = { nodes: [], edges: [] };

export const buildClassNode = (id: string, className: string, data: object = {}) => ({
	id,
	type: "classNode",
	position: { x: 0, y: 0 },
	data: { className, ...data },
});
export const filterNode = (id: string, value: string, property = "name") => ({
	id,
	type: "filterNode",
	position: { x: 0, y: 0 },
	data: { filterType: "property", property, operator: "eq", value },
});
export const createQueryEdge = (source: string, target: string, data = {}) => ({
	id: `${source}-${target}`,
	source,
	target,
	data,
});
export const buildQueryCanvas = (value = "prod") => ({
	nodes: [buildClassNode("t", "fvTenant"), filterNode("f", value)],
	edges: [createQueryEdge("t", "f")],
});

export const formatPlaceholder = (id: string) => `\${${id}}`;

let serial = 0;
export const createQuery = async (user: TestUser, fields: object = {}) => {
	const answer = await user.api.post(PATH, { name: `query ${++serial}`, flow_data: EMPTY, ...fields });
	expect(answer.text).toContain('"id"');
	expect(answer.status).toBe(201);
	return answer.body;
};
export const getQueryUrl = (query: { id: string }, rest = "") => `${PATH}${query.id}/${rest}`;
export const getNames = (body: { results: { name: string }[] }) => body.results.map(({ name }) => name);
