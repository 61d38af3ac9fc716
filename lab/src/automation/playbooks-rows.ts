/**
 * Playbooks over the variable `rows`, in the ways in which people write them: a loop, a loop with a
 * name of its own, rows times something, tasks in the background, included files.
 */
import {
	buildResultData,
	emitDebugTask,
	emitLoop,
	emitSkipped,
	formatSpacedJson,
	getOutcome,
	type Item,
	isRow,
	type Row,
	type Run,
	readRowItems,
} from "./playbook-parts.ts";
import { createScript, paintLines, type ScriptBuilder } from "./script.ts";
import type { Script } from "./types.ts";

const getItems = ({ vars }: Run): readonly unknown[] => {
	const given = vars[typeof vars.rows_variable === "string" ? vars.rows_variable : "rows"];
	return Array.isArray(given) ? given : [];
};

function beginTask(
	script: ScriptBuilder,
	hosts: Iterable<string>,
	task: string,
	action = "ansible.builtin.command",
): void {
	script.task(task, action);
	for (const host of hosts) script.emit("runner_on_start", { host });
}

/** Hosts of each batch that `serial` makes; all of them in one where it is absent. */
function getBatches({ hosts, vars }: Run): string[][] {
	const size = typeof vars.serial === "number" && vars.serial > 0 ? vars.serial : Math.max(1, hosts.length);
	return Array.from({ length: Math.ceil(hosts.length / size) }, (_, at) => hosts.slice(at * size, (at + 1) * size));
}

/**
 * One task over the rows. Fields of a row: `name` (its label), `rc` (above 0: fails), `changed`
 * (false: ok), `unreachable`, `skip`. Variables: `ignore_errors`, `no_log`, `loop_var`, `retries`,
 * `serial`, `secs` (delay before the rows), `row_results` (published as an artifact),
 * `rows_variable` (name of the variable with the rows), `extend` (fields that each item has besides
 * those of its row, as `combine` adds them).
 */
export function buildRowsScript(run: Run): Script {
	const { vars } = run;
	const script = createScript(run.playbook, run.key, run.gapMs);
	const items = getItems(run);
	script.start();
	let left: string[] = [];
	for (const hosts of getBatches(run)) {
		script.again();
		left = [...left, ...runRowsOn(script, hosts, items, run)];
	}
	const labels = items.map((item) => (isRow(item) ? item.name : item));
	const data = { row_results: vars.row_results ?? labels, total: String(items.length) };
	const [first] = left;
	if (first !== undefined) {
		beginTask(script, [first], "Publish artifacts", "ansible.builtin.set_stats");
		script.count(first).ok++;
		const res = { changed: false, ansible_stats: { data, per_host: false, aggregate: true }, _ansible_no_log: false };
		const stdout = paintLines("ok", `ok: [${first}]`);
		script.emit("runner_on_ok", { host: first, stdout, data: buildResultData(first, res) });
	}
	return script.finish({ finishMs: run.finishMs, artifacts: first === undefined ? {} : data });
}

/** The play on one batch of hosts. @returns the hosts that did not fail */
function runRowsOn(script: ScriptBuilder, hosts: readonly string[], items: readonly unknown[], run: Run): string[] {
	const { vars, check } = run;
	script.play("Bulk rows");
	const mode = `check=${check ? "True" : "False"} rows=${items.length}`;
	emitDebugTask(script, hosts, "Show mode", `"msg": "${mode}"`, mode);
	if (typeof vars.secs === "number") script.wait(vars.secs * 1000);
	beginTask(script, hosts, "Apply row");
	const alive = new Set(hosts);
	if (items.length === 0) for (const host of hosts) emitSkipped(script, host);
	else {
		const extended = readRowItems(items).map((item) => ({ ...item, value: () => extendRow(item.row, vars.extend) }));
		emitLoop(script, hosts, isRow(vars.extend) ? extended : readRowItems(items), {
			check,
			alive,
			noLog: vars.no_log === true,
			ignore: vars.ignore_errors === true,
			...(typeof vars.loop_var === "string" ? { loopVar: vars.loop_var } : {}),
			retries: typeof vars.retries === "number" ? vars.retries : 0,
		});
	}
	const left = hosts.filter((host) => alive.has(host));
	if (left.length > 0) {
		beginTask(script, left, "Skipped task", "ansible.builtin.debug");
		for (const host of left) emitSkipped(script, host);
	}
	return left;
}

const extendRow = (row: Row, fields: unknown): Row => ({ ...row, ...(isRow(fields) ? fields : {}) });

/**
 * A loop over the variable `pods`, which has nothing to do with the rows, and a task that fails
 * before they are handled (variable `fail_early`: false, it does not).
 */
export function buildPodsScript(run: Run): Script {
	const { hosts, vars } = run;
	const script = createScript(run.playbook, run.key, run.gapMs);
	const alive = new Set(hosts);
	script.start();
	script.play("Pods");
	beginTask(script, hosts, "Look at pod", "ansible.builtin.debug");
	emitLoop(script, hosts, readRowItems(Array.isArray(vars.pods) ? vars.pods : []), {
		alive,
		outcome: ({ label }) => ({ kind: "ok", res: { msg: label, changed: false } }),
	});
	beginTask(script, hosts, "Check fabric");
	const rc = vars.fail_early === false ? 0 : 1;
	for (const host of hosts) emitSingleResult(script, { row: { rc }, label: host, value: () => host }, host, run, alive);
	return script.finish({ finishMs: run.finishMs });
}

/**
 * `rows | product(ports)`: each item is a row and one of the variable `ports`. A row fails on the
 * port that its field `bad_port` names.
 */
export function buildNestedScript(run: Run): Script {
	const script = createScript(run.playbook, run.key, run.gapMs);
	const ports = Array.isArray(run.vars.ports) ? run.vars.ports : ["eth1/1", "eth1/2"];
	script.start();
	script.play("Rows and ports");
	beginTask(script, run.hosts, "Apply row to port");
	const items = readRowItems(getItems(run)).flatMap((item) =>
		ports.map(
			(port): Item => ({
				row: item.row.bad_port === port ? { ...item.row, rc: 1 } : item.row,
				label: `${item.label} ${port}`,
				value: (host) => [item.value(host), port],
			}),
		),
	);
	emitLoop(script, run.hosts, items, { alive: new Set(run.hosts), loopVar: "pair", check: run.check });
	return script.finish({ finishMs: run.finishMs });
}

/**
 * A loop of tasks in the background, and a loop that waits for their results. Variables: `wait`
 * (false: nobody waits for them), `look_again` (a third loop over the results of the second).
 */
export function buildAsyncScript(run: Run): Script {
	const { hosts, vars } = run;
	const script = createScript(run.playbook, run.key, run.gapMs);
	script.start();
	script.play("Rows in the background");
	beginTask(script, hosts, "Start row");
	const alive = new Set(hosts);
	const jobId = (host: string, at: number) => `j${at + 1}.${host}`;
	const items = readRowItems(getItems(run));
	const started = emitLoop(script, hosts, items, {
		alive,
		outcome(item, host) {
			const id = jobId(host, items.indexOf(item));
			const res = { started: 1, finished: 0, ansible_job_id: id, results_file: `/root/.ansible_async/${id}` };
			return { kind: "changed", res: { failed: 0, ...res, changed: true } };
		},
	});
	if (vars.wait === false) return script.finish({ finishMs: run.finishMs });
	beginTask(script, hosts, "Wait for row", "ansible.builtin.async_status");
	const waiting = wrapRegistered(items, started);
	const ignore = vars.ignore_errors === true || vars.look_again === true;
	const done = emitLoop(script, hosts, waiting, {
		alive,
		ignore,
		outcome(item, host) {
			const { kind, res } = getOutcome(item, host, run.check);
			const id = jobId(host, waiting.indexOf(item));
			return { kind, res: { started: 1, finished: 1, ansible_job_id: id, ...res, attempts: 1 } };
		},
	});
	if (vars.look_again === true) {
		beginTask(script, hosts, "Show row", "ansible.builtin.debug");
		emitLoop(script, hosts, wrapRegistered(items, done), {
			alive,
			outcome: ({ label }) => ({ kind: "ok", res: { msg: label, _ansible_verbose_always: true, changed: false } }),
		});
	}
	return script.finish({ finishMs: run.finishMs });
}

/** The registered results of a loop as the items of the next one. */
const wrapRegistered = (items: readonly Item[], registered: ReadonlyMap<string, readonly Row[]>): Item[] =>
	items.map((item, at) => ({ ...item, value: (host) => registered.get(host)?.[at] ?? {} }));

/**
 * `include_tasks` (variable `role`: `include_role`) in a loop over the rows. The included task does
 * not name the row; with the variable `carry` a second one loops over the row alone.
 */
export function buildIncludeScript(run: Run): Script {
	const { hosts, vars } = run;
	const script = createScript(run.playbook, run.key, run.gapMs);
	const alive = new Set(hosts);
	script.start();
	script.play("Included rows");
	const action = vars.role === true ? "ansible.builtin.include_role" : "ansible.builtin.include_tasks";
	beginTask(script, hosts, "Handle row", action);
	const items = readRowItems(getItems(run));
	emitLoop(script, hosts, items, {
		alive,
		loopVar: "row",
		outcome(item, host) {
			if (item.row.skip === true) return getOutcome(item, host, false);
			const res = vars.role === true ? { include_args: { name: "row" } } : { include: "row.yml", include_args: {} };
			return { kind: "ok", res, quiet: true };
		},
	});
	const included = items.filter(({ row }) => row.skip !== true);
	if (vars.role !== true) {
		for (const { label } of included) {
			script.emit("playbook_on_include", {
				stdout: paintLines(
					"skipped",
					`included: /tmp/awxrun/project/row.yml for ${hosts.join(", ")} => (item=${label})`,
				),
				data: { included_file: "/tmp/awxrun/project/row.yml" },
			});
		}
	}
	for (const item of included) {
		beginTask(script, alive, "Configure row");
		for (const host of [...alive]) emitSingleResult(script, item, host, run, alive);
		if (vars.carry !== true || alive.size === 0) continue;
		beginTask(script, alive, "Verify row");
		emitLoop(script, [...alive], [item], { alive, check: run.check });
	}
	return script.finish({
		finishMs: run.finishMs,
		artifacts: vars.row_results ? { row_results: vars.row_results } : {},
	});
}

/** A task without a loop: its result does not name the row. */
function emitSingleResult(script: ScriptBuilder, item: Item, host: string, run: Run, alive: Set<string>): void {
	const { kind, res } = getOutcome(item, host, run.check);
	const counts = script.count(host);
	if (kind === "skipped") {
		emitSkipped(script, host);
		return;
	}
	const data = buildResultData(host, res);
	if (kind === "failed" || kind === "dark") {
		alive.delete(host);
		const [event, word] = kind === "dark" ? ["unreachable", "UNREACHABLE"] : ["failed", "FAILED"];
		counts[kind === "dark" ? "dark" : "failures"]++;
		const stdout = paintLines(kind, `fatal: [${host}]: ${word}! => ${formatSpacedJson(res)}`);
		script.emit(`runner_on_${event}`, { host, stdout, failed: true, changed: res.changed === true, data });
		return;
	}
	counts.ok++;
	if (kind === "changed") counts.changed++;
	const stdout = paintLines(kind, `${kind}: [${host}]`);
	script.emit("runner_on_ok", { host, stdout, changed: kind === "changed", data });
}
