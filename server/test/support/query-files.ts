/**
 * Set-up of tests of queries and schedules as files: the service, a new user for each test, and
 * files.
 */
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { ModelGraph } from "../../src/core/ports/class-model.ts";
import { QUERIES } from "./canvases.ts";
import { type Answer, startTestApp, type TestApp, type TestUser } from "./harness.ts";

export const APPLY = "/api/queries/apply/";
export const VALIDATE = "/api/queries/validate-files/";
export const READ = "/api/queries/read-file/";
export const EXPORT = "/api/queries/export-files/";
export const TASKS = "/api/queries/scheduled-tasks/";

export interface File {
	readonly path: string;
	readonly content: string;
}

export interface QueryFiles {
	t: TestApp;
	/** A new user for each test. */
	ada: TestUser;
	/** The class model that the service has; null before each test. */
	model: ModelGraph | null;
	/** Adds a user of these groups. */
	addUser(groups?: string[]): Promise<TestUser>;
	/** A daily schedule on the connection that `addConnection` makes for Ada. */
	buildScheduleFile(name: string, saved_query: string, more?: string): File;
}

/** A file of a query of one class. */
export const buildQueryFile = (name: string, more = "", className = "fvTenant"): File => ({
	path: `queries/${name.toLowerCase()}.yaml`,
	content: `kind: query
flow_data:
  edges: []
  nodes:
    - data:
        className: ${className}
      id: a
      type: classNode
name: ${name}
${more}`,
});

export const applyFiles = (
	user: TestUser,
	files: readonly File[],
	more: Record<string, unknown> = {},
): Promise<Answer> => user.api.post(APPLY, { files, ...more });
/** Applies files, which must succeed; returns lines such as `created query One`. */
export const applyForChanges = async (user: TestUser, files: readonly File[], more: Record<string, unknown> = {}) => {
	const { status, body, text } = await applyFiles(user, files, more);
	expect(status, text).toBe(200);
	return body.changes.map(({ action, kind, name }: Record<string, string>) => `${action} ${kind} ${name}`);
};
/** Applies files, which must be refused; returns one line for each error: path, line, message. */
export const applyForErrors = async (user: TestUser, files: readonly File[], more: Record<string, unknown> = {}) => {
	const { status, body, text } = await applyFiles(user, files, more);
	expect(status, text).toBe(400);
	return body.errors.map(({ path, line, message }: Record<string, string>) => `${path}:${line}: ${message}`);
};
/** The files of the user's queries, schedules and checks. */
export const exportFiles = async (user: TestUser): Promise<File[]> => {
	const { status, body, text } = await user.api.get(EXPORT);
	expect(status, text).toBe(200);
	return body.files.filter(({ path }: File) => !path.startsWith("connections/"));
};
/** The queries of a user by name. */
export const listOwnQueries = async (user: TestUser) =>
	(await user.api.get(`${QUERIES}?my_queries=true&ordering=name`)).body.results;
/** Adds a connection to an address where nothing listens; returns its id. */
export const addConnection = async (
	user: TestUser,
	name = `Fabric of ${user.username}`,
	more: Record<string, unknown> = {},
) => {
	const { status, body, text } = await user.api.post("/api/controller/connections/", {
		name,
		url: "https://127.0.0.1:1",
		username: "admin",
		password: "no secret that is used",
		...more,
	});
	expect(status, text).toBe(201);
	return body.id;
};

/** Sets up one test file. `t` is set before its first test begins, `ada` before each. */
export function useQueryFiles(): QueryFiles {
	let users = 0;
	const files = {
		addUser: (groups = ["Editor"]) => files.t.user(`user-${++users}`, groups),
		buildScheduleFile: (name, saved_query, more = "") => ({
			path: `schedules/${name.toLowerCase()}.yaml`,
			content: `kind: schedule
controller_connections:
  - Fabric of ${files.ada.username}
frequency: daily
name: ${name}
saved_query: ${saved_query}
time_of_day: "06:30"
timezone: Europe/Paris
${more}`,
		}),
	} as QueryFiles;
	beforeAll(async () => {
		files.t = await startTestApp({ deps: { classModel: async () => files.model } });
	});
	afterAll(() => files.t.close());
	beforeEach(async () => {
		files.model = null;
		files.ada = await files.addUser();
	});
	return files;
}
