/** Routes of job templates and workflow job templates. */
import { ApiError, getList } from "./lists.ts";
import { presentTemplate, presentTemplateDetail, presentTemplateNode } from "./present.ts";
import {
	buildListOptions,
	buildOkReply,
	createJobListHandler,
	createSurveyHandler,
	createTemplateListHandler,
	findTemplate,
	type RouteParts,
	type Routes,
} from "./route-access.ts";
import { isActive } from "./runner.ts";
import type { Template } from "./types.ts";

export function createTemplateRoutes(lab: RouteParts): Routes {
	return {
		"job_templates/": { GET: createTemplateListHandler(lab, "job") },
		"job_templates/:id/": {
			GET: (call, id) =>
				buildOkReply(presentTemplateDetail(lab.world, findTemplate(lab, call, id as number, "job"), call.user)),
			DELETE: (call, id) => {
				const gone = findTemplate(lab, call, id as number, "job");
				const busy = [...lab.world.jobs.values()].filter((one) => one.templateId === gone.id && isActive(one));
				if (busy.length > 0) {
					throw new ApiError(409, {
						error: "Resource is being used by running jobs.",
						active_jobs: busy.map((one) => ({ id: one.id, type: one.type })),
					});
				}
				lab.world.templates.delete(gone.id);
				return { status: 204, body: "" };
			},
		},
		"job_templates/:id/survey_spec/": { GET: createSurveyHandler(lab, "job") },
		"job_templates/:id/launch/": {
			GET: (call, id) => buildOkReply(lab.launch.describe(findTemplate(lab, call, id as number, "job"))),
			POST: (call, id) => lab.launch.launch(findTemplate(lab, call, id as number, "job"), call.body(), call.user),
		},
		"job_templates/:id/jobs/": { GET: createJobListHandler(lab, (one) => one.type === "job", "Job") },
		"job_templates/:id/slice_workflow_jobs/": { GET: createJobListHandler(lab, (one) => one.sliced, "WorkflowJob") },
		"workflow_job_templates/": { GET: createTemplateListHandler(lab, "workflow") },
		"workflow_job_templates/:id/": {
			GET: (call, id) =>
				buildOkReply(presentTemplate(lab.world, findTemplate(lab, call, id as number, "workflow"), call.user)),
		},
		"workflow_job_templates/:id/survey_spec/": { GET: createSurveyHandler(lab, "workflow") },
		"workflow_job_templates/:id/launch/": {
			GET: (call, id) => buildOkReply(lab.launch.describe(findTemplate(lab, call, id as number, "workflow"))),
			POST: (call, id) =>
				lab.workflows.launch(findTemplate(lab, call, id as number, "workflow"), call.body(), call.user),
		},
		"workflow_job_templates/:id/workflow_nodes/": {
			GET: (call, id) => {
				const found = findTemplate(lab, call, id as number, "workflow");
				const present = (node: Template["nodes"][number]) => presentTemplateNode(lab.world, found, node);
				return buildOkReply(getList(found.nodes, present, present, buildListOptions(call, "WorkflowJobTemplateNode")));
			},
		},
		"workflow_job_templates/:id/workflow_jobs/": {
			GET: createJobListHandler(lab, (one) => one.type === "workflow_job" && !one.sliced, "WorkflowJob"),
		},
	};
}
