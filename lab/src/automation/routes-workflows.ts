/** Routes of workflow jobs and their approvals. */
import { ApiError, getList } from "./lists.ts";
import { getStatus, presentJob, presentNode } from "./present-jobs.ts";
import {
	type Answer,
	buildListOptions,
	buildOkReply,
	type Call,
	createJobListHandler,
	findJob,
	type Handler,
	type RouteParts,
	type Routes,
} from "./route-access.ts";
import { createCancelHandlers } from "./routes-jobs.ts";
import { isActive } from "./runner.ts";
import type { Job } from "./types.ts";

function listNodes(lab: RouteParts, call: Call, id: number): Answer {
	const workflow = findJob(lab, call, id, "workflow_job");
	const present = (node: Job["nodes"][number]) => presentNode(lab.world, workflow, node);
	return buildOkReply(getList(workflow.nodes, present, present, buildListOptions(call, "WorkflowJobNode")));
}

const createDecisionHandler = (lab: RouteParts, approved: boolean): Record<string, Handler> => ({
	POST: (call, id) => {
		const approval = findJob(lab, call, id as number, "workflow_approval");
		if (!isActive(approval))
			throw new ApiError(400, { error: "This workflow step has already been approved or denied." });
		lab.workflows.decide(approval, approved);
		return { status: 204, body: "" };
	},
});

export function createWorkflowRoutes(lab: RouteParts): Routes {
	return {
		"workflow_jobs/": { GET: createJobListHandler(lab, (one) => one.type === "workflow_job", "WorkflowJob") },
		"workflow_jobs/:id/": {
			GET: (call, id) =>
				buildOkReply(presentJob(lab.world, findJob(lab, call, id as number, "workflow_job"), "detail")),
		},
		"workflow_jobs/:id/cancel/": createCancelHandlers(lab, "workflow_job"),
		"workflow_jobs/:id/relaunch/": {
			POST: (call, id) => lab.launch.relaunch(findJob(lab, call, id as number, "workflow_job"), call.body(), call.user),
		},
		"workflow_jobs/:id/workflow_nodes/": { GET: (call, id) => listNodes(lab, call, id) },
		"workflow_approvals/:id/": {
			GET: (call, id) => {
				const approval = findJob(lab, call, id as number, "workflow_approval");
				return buildOkReply({ id: approval.id, type: approval.type, name: approval.name, status: getStatus(approval) });
			},
		},
		"workflow_approvals/:id/approve/": createDecisionHandler(lab, true),
		"workflow_approvals/:id/deny/": createDecisionHandler(lab, false),
	};
}
