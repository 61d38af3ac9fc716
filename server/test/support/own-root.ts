/** Programs in a file system of their own: this machine's kernel and network, other files. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { type Started, startProgram } from "./spawned.ts";

/** Failures of the machine and its network, for which a test says that it could not run. */
const OF_THE_MACHINE =
	/Operation not permitted|No space left on device|EAI_AGAIN|ETIMEDOUT|getaddrinfo|SELF_SIGNED_CERT|Temporary failure/;

/** Why the tests that need these programs cannot run; null where they can. */
export function explainWhyNot(programs: readonly string[]): string | null {
	if (process.getuid?.() !== 0) return "they need root";
	const missing = programs.filter((name) => spawnSync("which", [name]).status !== 0);
	if (missing.length > 0) return `${missing.join(" and ")} not installed`;
	return spawnSync("unshare", ["--mount", "true"]).status === 0 ? null : "file systems cannot be mounted";
}

export const isOfTheMachine = (error: unknown): boolean => OF_THE_MACHINE.test(String(error));

export interface OwnRoot {
	/** A process that has this root. */
	readonly pid: number;
	start(
		command: readonly string[],
		options: { readonly user: string; readonly workFolder?: string; readonly environment: readonly string[] },
	): Started;
	close(): Promise<void>;
}

/**
 * Makes a folder the root of programs. Its mounts are not seen elsewhere, and end with it.
 *
 * @param folders folder of this machine to where it is there
 */
export async function openRoot(
	root: string,
	{ folders = {}, isReadOnly = false }: { folders?: Readonly<Record<string, string>>; isReadOnly?: boolean } = {},
): Promise<OwnRoot> {
	const script = [
		`mount --bind ${root} ${root}`,
		...(isReadOnly ? [`mount -o remount,bind,ro ${root}`] : []),
		`mount -t tmpfs tmpfs ${root}/tmp`,
		`mount -t proc proc ${root}/proc`,
		`mount --rbind /dev ${root}/dev`,
		...Object.entries(folders).map(([here, there]) => `mount --bind ${here} ${root}${there}`),
		`exec chroot ${root} sh -c 'echo ready; exec sleep infinity'`,
	].join("\n");
	const holder = startProgram("unshare", ["--mount", "--propagation", "private", "sh", "-ec", script]);
	await Promise.race([
		once(holder.child.stdout as Readable, "data"),
		holder.ended.then(({ stderr }) => {
			throw new Error(`The root was not made: ${stderr}`);
		}),
	]);
	const pid = holder.child.pid ?? 0;
	return {
		pid,
		start(command, { user, workFolder = "/", environment }) {
			const inside = ["sh", "-c", `cd ${workFolder} && exec "$@"`, "sh", ...command];
			const enter = ["-t", String(pid), "-m", "-r", "-w"];
			return startProgram("nsenter", [
				...enter,
				...["chroot", `--userspec=${user}`, "/", "env", "-i"],
				...environment,
				...inside,
			]);
		},
		async close() {
			holder.child.kill("SIGKILL");
			await holder.ended;
		},
	};
}
