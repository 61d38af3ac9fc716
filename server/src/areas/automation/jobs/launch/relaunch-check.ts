/** Whether the server would launch a job again: found out before an execution is made. */
import type { Context } from "../../../../context.ts";
import { createLargeMask } from "../../../../core/mask.ts";
import { AutomationError, type AutomationTarget } from "../../../../integrations/awx/port.ts";
import { launchProblems } from "../rules/launch.ts";
import { formatStoredText } from "../rules/masked-words.ts";
import type { RequestContent } from "../rules/request-content.ts";
import type { ExecutionRow } from "../sql/executions.ts";
import { buildWantedLaunch } from "./wanted-launch.ts";

/** Null where the template is gone, or the server does not show it. */
async function findTemplate(ctx: Context, target: AutomationTarget, { kind, server_template_id: id }: ExecutionRow) {
	return ctx.automation.template(target, kind, id).catch((error: unknown) => {
		if (error instanceof AutomationError && error.kind === "not_found") return null;
		throw error;
	});
}

/**
 * Returns why the job of an execution could not be launched again now; null: it could.
 * @throws AutomationError with a masked message
 */
export async function findRelaunchProblem(
	ctx: Context,
	target: AutomationTarget,
	before: ExecutionRow,
	hosts: "all" | "failed",
	content: RequestContent,
): Promise<string | null> {
	const mask = await createLargeMask(content.secrets);
	const jobId = before.job_id ?? 0;
	const type = before.job_type === "workflow_job" ? "workflow_job" : "job";
	try {
		if ((await ctx.automation.job(target, type, jobId)) === null)
			return `Job ${jobId} does not exist on the automation server any more. Retry the request.`;
		if (hosts === "failed" && (await ctx.automation.failedHosts(target, jobId)) === 0)
			return `No host failed in job ${jobId}: there is nothing to launch again on failed hosts.`;
		const info = await findTemplate(ctx, target, before);
		if (info === null)
			return `The ${before.kind} template ${before.server_template_id} does not exist on the automation server any more.`;
		const problems = Object.values(launchProblems(info, buildWantedLaunch(content, ""))).flat();
		return problems.length === 0 ? null : formatStoredText(problems.join(" "), mask);
	} catch (error) {
		throw error instanceof AutomationError ? error.withMessage(mask(error.message)) : error;
	}
}
