/** The check's output for vulnerable dependencies, with a fake npm. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "weft-audit-"));
afterAll(() => rmSync(folder, { recursive: true }));
const script = fileURLToPath(new URL("../../../scripts/dependency-audit.mjs", import.meta.url));

/** Status and words of the check when npm answers this. */
function runAudit(answer: string, code = 0): { status: number | null; said: string } {
	const npm = join(folder, "npm.mjs");
	writeFileSync(npm, `process.stdout.write(${JSON.stringify(answer)}); process.exitCode = ${code};`);
	const run = `import { auditDependencies } from ${JSON.stringify(`file://${script}`)}; process.exitCode = auditDependencies(".");`;
	const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", run], {
		encoding: "utf8",
		env: { ...process.env, npm_execpath: npm },
	});
	return { status, said: stderr };
}

const buildReport = (found: Record<string, string>): string => {
	const vulnerabilities = Object.fromEntries(
		Object.entries(found).map(([name, severity]) => [name, { name, severity, range: "<2.0.0" }]),
	);
	const counts: Record<string, number> = { total: Object.keys(found).length };
	for (const severity of Object.values(found)) counts[severity] = (counts[severity] ?? 0) + 1;
	return JSON.stringify({ vulnerabilities, metadata: { vulnerabilities: counts } });
};

it("passes without findings, and with lesser ones, which it lists", () => {
	expect(runAudit(buildReport({}))).toMatchObject({ status: 0, said: expect.stringContaining("no dependency has") });
	const { status, said } = runAudit(buildReport({ left: "moderate", right: "low" }), 1);
	expect([status, said]).toEqual([0, expect.stringMatching(/moderate: left <2\.0\.0\n.*low: right .*\n.*2 lesser/)]);
});

it.each(["high", "critical"])("fails on %s findings, by name", (severity) => {
	const { status, said } = runAudit(buildReport({ broken: severity, fine: "low" }), 1);
	expect([status, said]).toEqual([1, expect.stringContaining(`${severity}: broken <2.0.0`)]);
});

it.each([
	["an error of the registry", '{"message":"405 Method Not Allowed - POST somewhere","statusCode":405}', "(405)"],
	["no network", '{"error":{"code":"ENOTFOUND"}}', "(ENOTFOUND)"],
	["nonsense", "<html>", "(no answer that can be read)"],
	["nothing", "", "(no answer that can be read)"],
])("says that it is skipped on %s", (_name, answer, reason) => {
	const { status, said } = runAudit(answer, 1);
	expect([status, said]).toEqual([0, `weft: DEPENDENCY AUDIT SKIPPED: the registry could not be asked ${reason}.\n`]);
});
