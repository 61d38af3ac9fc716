/**
 * Finds the compiled file of a worker thread: threads cannot run sources on every supported Node.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The URL of a worker's file beside the caller: `workerUrl(import.meta.url, "./x-worker.ts")`. From
 * sources it is the file's place in `dist/`. Throws when that has not been built.
 */
export function getWorkerUrl(callerUrl: string, relative: string): URL {
	const url = new URL(relative.replace(/\.[jt]s$/, callerUrl.endsWith(".ts") ? ".ts" : ".js"), callerUrl);
	if (url.pathname.endsWith(".ts")) {
		const source = url.pathname.lastIndexOf("/src/");
		if (source < 0) throw new Error(`Worker ${url.pathname} is not under a src folder`);
		url.pathname = `${url.pathname.slice(0, source)}/dist/${url.pathname.slice(source + 5, -3)}.js`;
	}
	if (!existsSync(url)) throw new Error(`Worker ${fileURLToPath(url)} is not built: run npm run build`);
	return url;
}
