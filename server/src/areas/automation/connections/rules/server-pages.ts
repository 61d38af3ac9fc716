/**
 * Addresses of pages in an automation server's user interface: AWX has them behind a hash, the
 * platform from release 2.5 on under `execution`.
 */
import type { AutomationKind } from "@weft/contracts";

interface Server {
	/** Null once the connection is deleted. */
	readonly base_url: string | null;
	/** Path of the API's root; null before the first test. */
	readonly api_root: string | null;
}

const isPlatform = ({ api_root }: Server): boolean => api_root?.includes("/controller/") ?? false;

function buildPageUrl(server: Server & { readonly base_url: string }, path: string): string {
	const base = server.base_url.replace(/\/api(\/controller)?(\/v[12])?$/, "");
	return `${base}/${isPlatform(server) ? "execution/" : "#/"}${path}`;
}

/** Returns the page of a job's output; empty without a job or a server. */
export function buildJobUrl(server: Server, jobId: number | null, jobType: string | null): string {
	const { base_url } = server;
	if (base_url === null || jobId === null) return "";
	const word = jobType === "workflow_job" ? "workflow" : "playbook";
	return buildPageUrl({ ...server, base_url }, `jobs/${word}/${jobId}/output`);
}

/** Returns the page of a job template or a workflow; empty without a server. */
export function buildJobTemplateUrl(server: Server, kind: AutomationKind, id: number): string {
	const { base_url } = server;
	if (base_url === null) return "";
	const word = kind === "workflow" ? "workflow_job_template" : "job_template";
	return buildPageUrl(
		{ ...server, base_url },
		`templates/${isPlatform(server) ? word.replaceAll("_", "-") : word}/${id}/details`,
	);
}
