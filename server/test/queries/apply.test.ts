/** Queries and schedules as files: export, and applying all of them or none. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildClassNode, connectNodes, createEdge, createNameFilter, output, QUERIES } from "../support/canvases.ts";
import type { TestApp, TestUser } from "../support/harness.ts";
import {
	addConnection,
	applyFiles,
	applyForChanges,
	applyForErrors,
	buildQueryFile,
	exportFiles,
	listOwnQueries,
	TASKS,
	useQueryFiles,
} from "../support/query-files.ts";

const queryFiles = useQueryFiles();
const { addUser, buildScheduleFile } = queryFiles;
let t: TestApp;
let ada: TestUser;
beforeAll(() => {
	({ t } = queryFiles);
});
beforeEach(() => {
	({ ada } = queryFiles);
});

describe("a schedule on a group of connections", () => {
	it("carries the group by name", async () => {
		const user = await t.user("gil", ["Editor"]);
		const connection = await addConnection(user);
		const groups = "/api/controller/connection-groups/";
		const group = await user.api.post(groups, { name: "All sites", connection_ids: [connection] });
		const saved = await user.api.post(QUERIES, {
			name: "Q",
			flow_data: connectNodes(buildClassNode("fvTenant"), output),
		});
		const task = { name: "Daily", saved_query: saved.body.id, frequency: "daily", time_of_day: "06:30" };
		const made = await user.api.post(TASKS, { ...task, connection_group: group.body.id });
		expect(made.status, made.text).toBe(201);
		const files = await exportFiles(user);
		const content = files.find(({ path }) => path === "schedules/daily.yaml")?.content ?? "";
		expect(content).toContain("connection_group: All sites\n");
		expect(await applyForChanges(user, files)).toEqual(["unchanged query Q", "unchanged schedule Daily"]);
		const other = files.map((one) => ({ ...one, content: one.content.replace("All sites", "No such") }));
		expect(await applyForErrors(user, other)).toEqual([
			expect.stringMatching(/^schedules\/daily.yaml:\d+: connection_group: There is no connection group "No such"/),
		]);
		await user.api.post(groups, { name: "More", connection_ids: [connection] });
		const moved = files.map((one) => ({ ...one, content: one.content.replace("All sites", "More") }));
		expect(await applyForChanges(user, moved)).toEqual(["unchanged query Q", "updated schedule Daily"]);
		expect((await user.api.get(`${TASKS}${made.body.id}/`)).body.connection_group_name).toBe("More");
	});
});

describe("a query on a group of connections", () => {
	it("carries the group by name; an unknown name is refused with those that exist", async () => {
		const user = await addUser();
		const connection = await addConnection(user);
		const groups = "/api/controller/connection-groups/";
		const ids: string[] = [];
		for (const name of ["North", "South"]) {
			const { body } = await user.api.post(groups, { name, connection_ids: [connection] });
			ids.push(body.id);
		}
		const own = async (name: string) =>
			(await user.api.get(QUERIES)).body.results.find((one: { name: string }) => one.name === name);
		const getGroup = async (name: string) =>
			(await user.api.get(`${QUERIES}${(await own(name)).id}/`)).body.connection_group;
		expect(await applyForChanges(user, [buildQueryFile("Q", "connection_group: North\n")])).toEqual([
			"created query Q",
		]);
		expect(await getGroup("Q")).toBe(ids[0]);
		const files = await exportFiles(user);
		expect(files[0]?.content).toContain("connection_group: North\n");
		expect(await applyForChanges(user, files)).toEqual(["unchanged query Q"]);
		expect(await applyForChanges(user, [buildQueryFile("Q", "connection_group: South\n")])).toEqual([
			"updated query Q",
		]);
		expect(await getGroup("Q")).toBe(ids[1]);
		expect(await applyForErrors(user, [buildQueryFile("Q", "connection_group: West\n")])).toEqual([
			expect.stringMatching(
				/^queries\/q.yaml:\d+: connection_group: There is no connection group "West" that you can see. Groups include: North, South\.$/,
			),
		]);
		expect(await applyForChanges(user, [buildQueryFile("Q")])).toEqual(["updated query Q"]);
		expect(await getGroup("Q")).toBeNull();
		const other = await addUser();
		expect(await applyForErrors(other, [buildQueryFile("Q", "connection_group: North\n")])).toEqual([
			expect.stringMatching(/"North" that you can see\. There are none\.$/),
		]);
	});
});

describe("an export", () => {
	it("has one file for each own query and schedule, and applying it changes nothing", async () => {
		const connection = await addConnection(ada);
		const { body: category } = await t.admin.api.post("/api/queries/categories/", { name: `Of ${ada.username}` });
		const drawn = {
			...connectNodes(
				{ ...buildClassNode("fvTenant", { label: "T" }), position: { x: 3, y: 4 } } as never,
				createNameFilter("prod"),
				output,
			),
			viewport: { zoom: 2 },
		};
		const { body: first } = await ada.api.post(QUERIES, {
			name: "Tenants",
			description: "one\ntwo",
			category: category.id,
			tags_list: ["a", "yes"],
			flow_data: drawn,
			post_processors: [{ type: "array-sort", config: { field: "name" } }],
		});
		await ada.api.post(QUERIES, {
			name: "TENANTS",
			flow_data: connectNodes(buildClassNode("fvBD"), output),
			is_public: true,
		});
		const task = await ada.api.post(TASKS, {
			name: "Daily",
			saved_query: first.id,
			controller_connection_ids: [connection],
			frequency: "daily",
			time_of_day: "06:30",
		});
		expect(task.status, task.text).toBe(201);
		const files = await exportFiles(ada);
		expect(files.map(({ path }) => path)).toEqual([
			"queries/tenants.yaml",
			expect.stringMatching(/^queries\/tenants-[0-9a-f]{8}\.yaml$/),
			"schedules/daily.yaml",
		]);
		for (const { content } of files) {
			expect(content).toMatch(/^kind: (query|schedule)\n/);
			expect(content).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|no secret|created_at|updated_at/);
		}
		expect(files[2]?.content).toContain(`controller_connections:\n  - Fabric of ${ada.username}\n`);
		expect(files[2]?.content).toContain("saved_query: Tenants\n");
		expect(await applyForChanges(ada, files, { prune: true })).toEqual([
			"unchanged query Tenants",
			"unchanged query TENANTS",
			"unchanged schedule Daily",
		]);
		expect((await ada.api.get(`${QUERIES}${first.id}/`)).body).toEqual(first);
		expect(await exportFiles(ada)).toEqual(files);
		const { body: after } = await ada.api.get(`${TASKS}${task.body.id}/`);
		expect(after).toEqual(task.body);
	});

	it("makes the same queries and schedules after they were deleted", async () => {
		await addConnection(ada);
		await applyForChanges(ada, [
			buildQueryFile("One", "description: x\n"),
			buildQueryFile("Two"),
			buildScheduleFile("Daily", "Two"),
		]);
		const files = await exportFiles(ada);
		for (const { id } of await listOwnQueries(ada)) await ada.api.del(`${QUERIES}${id}/`);
		const { body: tasks } = await ada.api.get(`${TASKS}?my_tasks=true`);
		await ada.api.del(`${TASKS}${tasks.results[0].id}/`);
		expect(await exportFiles(ada)).toEqual([]);
		expect(await applyForChanges(ada, files)).toEqual([
			"created query One",
			"created query Two",
			"created schedule Daily",
		]);
		expect(await exportFiles(ada)).toEqual(files);
	});

	it("of many queries has each once, and of another user none", async () => {
		const files = Array.from({ length: 60 }, (_, i) => buildQueryFile(`Query-${String(i).padStart(2, "0")}`));
		expect(new Set(await applyForChanges(ada, files))).toHaveProperty("size", 60);
		expect((await exportFiles(ada)).map(({ path }) => path).sort()).toEqual(files.map(({ path }) => path));
		expect(await exportFiles(await addUser())).toEqual([]);
	});
});

describe("applying", () => {
	it("creates, changes with a version, and leaves alone what is as the file says", async () => {
		const files = [buildQueryFile("One"), buildQueryFile("Two")];
		expect(await applyForChanges(ada, files, { dry_run: true })).toEqual(["created query One", "created query Two"]);
		expect(await listOwnQueries(ada)).toEqual([]);
		expect(await applyForChanges(ada, files)).toEqual(["created query One", "created query Two"]);
		const before = await listOwnQueries(ada);
		expect(await applyForChanges(ada, files)).toEqual(["unchanged query One", "unchanged query Two"]);
		expect(await listOwnQueries(ada)).toEqual(before);
		const next = [buildQueryFile("One", "description: new\n"), buildQueryFile("Two", "", "fvBD")];
		expect(await applyForChanges(ada, next, { dry_run: true })).toEqual(["updated query One", "updated query Two"]);
		expect(await listOwnQueries(ada)).toEqual(before);
		expect(await applyForChanges(ada, next)).toEqual(["updated query One", "updated query Two"]);
		expect(await listOwnQueries(ada)).toMatchObject([
			{ id: before[0].id, description: "new", version_string: "v1.0" },
			{ id: before[1].id, version_string: "v2.0" },
		]);
		const { body } = await ada.api.get(`${QUERIES}${before[1].id}/`);
		expect(body.flow_data.nodes[0].data.className).toBe("fvBD");
	});

	it("keeps the layout of a query whose file has none, and takes it from a file that has one", async () => {
		const flow_data = {
			...connectNodes({ ...buildClassNode("fvTenant"), position: { x: 3, y: 4 } } as never),
			viewport: { zoom: 2 },
		};
		const { body: saved } = await ada.api.post(QUERIES, { name: "Drawn", flow_data });
		const [file] = await exportFiles(ada);
		const content = file?.content ?? "";
		const bare = { path: "queries/drawn.yaml", content: content.slice(0, content.indexOf("layout:")) };
		expect(await applyForChanges(ada, [bare])).toEqual(["unchanged query Drawn"]);
		expect(await applyForChanges(ada, [{ ...bare, content: bare.content.replace("fvTenant\n", "fvBD\n") }])).toEqual([
			"updated query Drawn",
		]);
		const changed = (await ada.api.get(`${QUERIES}${saved.id}/`)).body;
		expect(changed.flow_data).toMatchObject({ nodes: [{ position: { x: 3, y: 4 } }], viewport: { zoom: 2 } });
		const moved = { ...bare, content: content.replace("x: 3", "x: 9").replace("fvTenant\n", "fvBD\n") };
		expect(await applyForChanges(ada, [moved])).toEqual(["updated query Drawn"]);
		const { body } = await ada.api.get(`${QUERIES}${saved.id}/`);
		expect(body.flow_data.nodes[0].position).toEqual({ x: 9, y: 4 });
		expect(body.version_string).toBe(changed.version_string);
	});

	it("writes what the usual routes write: versions, audit entries, categories, sharing", async () => {
		const { body: saved } = await ada.api.post(QUERIES, {
			name: "Shared",
			flow_data: connectNodes(buildClassNode("fvBD")),
			shared_with: [t.admin.id],
		});
		const category = `New of ${ada.username}`;
		await applyForChanges(ada, [
			buildQueryFile("Shared", `category: ${category}\n`),
			buildQueryFile("Other", `category: ${category}\n`),
		]);
		const { body } = await ada.api.get(`${QUERIES}${saved.id}/`);
		expect(body).toMatchObject({ category_name: category, shared_with: [t.admin.id], version_string: "v2.0" });
		const { body: audit } = await t.admin.api.get(`/api/audit/logs/?user=${ada.id}&page_size=200`);
		const entries = audit.results.filter(({ action }: { action: string }) => action === "query_apply");
		expect(entries.map(({ description }: { description: string }) => description).sort()).toEqual([
			"Changed the query Shared",
			"Created the query Other",
			`Created the query category ${category}`,
		]);
	});

	it("changes schedules by name, with queries of the same files", async () => {
		await addConnection(ada);
		const files = [buildQueryFile("Tenants"), buildScheduleFile("Daily", "Tenants")];
		expect(await applyForChanges(ada, files)).toEqual(["created query Tenants", "created schedule Daily"]);
		expect(await applyForChanges(ada, files)).toEqual(["unchanged query Tenants", "unchanged schedule Daily"]);
		const find = async () => (await ada.api.get(`${TASKS}?my_tasks=true`)).body.results[0];
		const first = await find();
		expect(first).toMatchObject({ query_name: "Tenants", status: "active", next_run_at: expect.any(String) });
		const paused = buildScheduleFile("Daily", "Tenants", "status: paused\ndescription: new\n");
		expect(await applyForChanges(ada, [paused])).toEqual(["updated schedule Daily"]);
		expect(await find()).toMatchObject({ id: first.id, status: "paused", next_run_at: null, description: "new" });
		// Without a status the schedule stays paused.
		expect(await applyForChanges(ada, [buildScheduleFile("Daily", "Tenants")])).toEqual(["updated schedule Daily"]);
		expect(await find()).toMatchObject({ status: "paused", description: "" });
		expect(await applyForChanges(ada, [buildScheduleFile("Daily", "Tenants", "status: active\n")])).toEqual([
			"updated schedule Daily",
		]);
		expect((await find()).next_run_at).toBe(first.next_run_at);
	});

	it("leaves a schedule alone that ran once, until its file has another time", async () => {
		await addConnection(ada);
		const once = (time: string) => {
			const { path, content } = buildScheduleFile("Once", "Tenants", `scheduled_datetime: ${time}\n`);
			return [buildQueryFile("Tenants"), { path, content: content.replace("daily", "once") }];
		};
		const later = (ms: number) => new Date(t.clock.now() + ms).toISOString();
		const files = once(later(60_000));
		await applyForChanges(ada, files);
		await t.pool.query("update scheduled_tasks set status = 'disabled', next_run_at = null where name = 'Once'");
		await t.clock.advance(120_000);
		expect(await applyForChanges(ada, files)).toEqual(["unchanged query Tenants", "unchanged schedule Once"]);
		const [, file] = await exportFiles(ada);
		expect(file?.content).toContain("status: active");
		expect(await applyForChanges(ada, await exportFiles(ada))).toContain("unchanged schedule Once");
		expect(await applyForErrors(ada, once(later(-1)))).toEqual([
			"schedules/once.yaml:9: scheduled_datetime: Must be in the future.",
		]);
		expect(await applyForChanges(ada, once(later(60_000)))).toContain("updated schedule Once");
	});

	it("prunes own queries and schedules without a file, and nothing of others", async () => {
		await addConnection(ada);
		await applyForChanges(ada, [buildQueryFile("Keep"), buildQueryFile("Drop"), buildScheduleFile("Daily", "Drop")]);
		const bob = await addUser();
		await applyForChanges(bob, [buildQueryFile("Drop", "is_public: true\n")]);
		expect(
			await applyForErrors(ada, [buildQueryFile("Keep"), buildScheduleFile("Daily", "Drop")], { prune: true }),
		).toEqual([
			'schedules/daily.yaml:6: saved_query: The query "Drop" has no file and would be deleted. Add its file.',
		]);
		const plan = await applyFiles(ada, [buildQueryFile("Keep")], { prune: true, dry_run: true });
		expect(plan.body.changes).toEqual([
			{ path: "queries/keep.yaml", kind: "query", name: "Keep", action: "unchanged" },
			{ path: "queries/drop.yaml", kind: "query", name: "Drop", action: "deleted" },
			{ path: "schedules/daily.yaml", kind: "schedule", name: "Daily", action: "deleted" },
		]);
		expect(await listOwnQueries(ada)).toHaveLength(2);
		expect(await applyForChanges(ada, [buildQueryFile("Keep")], { prune: true })).toContain("deleted query Drop");
		expect((await listOwnQueries(ada)).map(({ name }: { name: string }) => name)).toEqual(["Keep"]);
		expect((await ada.api.get(`${TASKS}?my_tasks=true`)).body.count).toBe(0);
		expect(await listOwnQueries(bob)).toHaveLength(1);
		const everything = await applyFiles(ada, [], { prune: true });
		expect([everything.status, Object.keys(everything.body)]).toEqual([400, ["files"]]);
	});

	it("makes the same of the same files by two requests at once", async () => {
		const files = Array.from({ length: 30 }, (_, i) => buildQueryFile(`Q${i}`));
		const answers = await Promise.all([applyFiles(ada, files), applyFiles(ada, files), applyFiles(ada, files)]);
		for (const { status } of answers) expect([200, 409]).toContain(status);
		expect(answers.some(({ status }) => status === 200)).toBe(true);
		const names = (await exportFiles(ada)).map(({ path }) => path);
		expect([names.length, new Set(names).size]).toEqual([30, 30]);
	});
});

it("canvases with pipelines and filters come back whole", async () => {
	const flow_data = {
		nodes: [
			buildClassNode("fvTenant"),
			createNameFilter("prod", { operator: "ne" }),
			buildClassNode("fvBD", { limit: 3 }),
		],
		edges: [
			createEdge("fvTenant", "f"),
			createEdge("fvTenant", "fvBD", { edgeType: "pipeline", extractField: "dn", note: 1 }),
		],
	};
	const { body: saved } = await ada.api.post(QUERIES, { name: "Piped", flow_data });
	const files = await exportFiles(ada);
	await ada.api.del(`${QUERIES}${saved.id}/`);
	await applyForChanges(ada, files);
	const [again] = await listOwnQueries(ada);
	const { body } = await ada.api.get(`${QUERIES}${again.id}/`);
	expect(body.current_version_hash).toBe(saved.current_version_hash);
	expect(body.flow_data.edges).toContainEqual(flow_data.edges[1]);
});
