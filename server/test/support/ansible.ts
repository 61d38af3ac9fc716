/**
 * Runs playbooks with a real Ansible, where it is installed, and returns the events that AWX would
 * get: AWX runs its jobs by the same ansible-runner.
 */
import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** The Python that Ansible belongs to; null where there is none with ansible-runner. */
function findPython(): string | null {
	try {
		const playbook = execFileSync("sh", ["-c", "command -v ansible-playbook"], { encoding: "utf8" }).trim();
		const python = /^#!\s*(\S+)/.exec(readFileSync(playbook, "utf8"))?.[1] ?? "";
		execFileSync(python, ["-c", "import ansible_runner"], { stdio: "ignore" });
		return python;
	} catch {
		return null;
	}
}
const python = findPython();

/** Why there is no Ansible; null where there is one. */
export const missing = python === null ? "ansible-playbook and ansible-runner are not installed" : null;

export interface AnsibleRun {
	readonly status: "successful" | "failed";
	readonly events: readonly Readonly<Record<string, unknown>>[];
}

const RUN = `
import sys, ansible_runner
folder, playbook = sys.argv[1:]
sys.exit(ansible_runner.run(private_data_dir=folder, playbook=playbook, ident="run", quiet=True).rc)
`;

/** Fails for names that begin with `bad`. */
const VLAN = `#!/bin/sh
case "$2" in bad*) echo "VLAN $2 is not possible" >&2; exit 3;; esac
echo "$1 $2"
`;

/**
 * @param files of the project, by path
 * @param hosts all of them are this machine
 */
export async function runPlaybook(
	files: Readonly<Record<string, string>>,
	playbook: string,
	hosts: readonly string[],
	variables: Readonly<Record<string, unknown>>,
): Promise<AnsibleRun> {
	const folder = mkdtempSync(join(tmpdir(), "weft-ansible-"));
	try {
		const write = (path: string, text: string) => {
			mkdirSync(dirname(join(folder, path)), { recursive: true });
			writeFileSync(join(folder, path), text);
		};
		for (const [path, text] of Object.entries(files)) write(join("project", path), text);
		const local = `ansible_connection=local ansible_python_interpreter=${python} ansible_async_dir=${folder}/async`;
		write("inventory/hosts", hosts.map((host) => `${host} ${local}\n`).join(""));
		write("env/extravars", JSON.stringify(variables));
		write("bin/vlan", VLAN);
		chmodSync(join(folder, "bin/vlan"), 0o755);
		const run = promisify(execFile)(python ?? "python3", ["-c", RUN, folder, playbook], {
			env: { ...process.env, PATH: `${join(folder, "bin")}:${process.env.PATH}`, HOME: folder },
		});
		// It exits as ansible-playbook does; without any event there was no run.
		const status = await run.then(
			() => "successful" as const,
			() => "failed" as const,
		);
		const events = join(folder, "artifacts/run/job_events");
		const names = readdirSync(events).filter((name) => /^\d+-.*\.json$/.test(name));
		return { status, events: names.map((name) => JSON.parse(readFileSync(join(events, name), "utf8"))) };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
