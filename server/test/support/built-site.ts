/** A site that a build has made, in a temporary folder, and what the service sends of it. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AppParts } from "../../src/app.ts";
import { startTestApp, type TestApp } from "./harness.ts";

/** The `accept` header of a browser for a typed address. */
export const BROWSER = { accept: "text/html,*/*" };

export interface BuiltSite {
	/** At the root of an address, under a base path, and without the build. */
	readonly app: TestApp;
	readonly under: TestApp;
	readonly without: TestApp;
	close(): Promise<void>;
}

/**
 * @param files contents by path
 * @param createReader makes the function that reads the folder as the service does
 * @param basePath of the second service
 */
export async function startWithSite(
	files: Readonly<Record<string, string | Buffer>>,
	createReader: (folder: string) => Partial<AppParts>,
	basePath: string,
): Promise<BuiltSite> {
	const folder = await mkdtemp(join(tmpdir(), "weft site "));
	for (const [path, content] of Object.entries(files)) {
		await mkdir(dirname(join(folder, path)), { recursive: true });
		await writeFile(join(folder, path), content);
	}
	const deps = createReader(folder);
	const [app, under, without] = await Promise.all([
		startTestApp({ deps }),
		startTestApp({ deps: { ...deps, basePath } }),
		startTestApp(),
	]);
	return {
		app,
		under,
		without,
		async close() {
			await Promise.all([app.close(), under.close(), without.close()]);
			await rm(folder, { recursive: true, force: true });
		},
	};
}

export const sendSiteRequest = (
	{ app }: TestApp,
	url: string,
	headers: Record<string, string> = {},
	method: "GET" | "HEAD" | "POST" = "GET",
) => app.server.inject({ method, url, headers });
