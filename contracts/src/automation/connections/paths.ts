/** Addresses of connections to automation servers: one entry per route. */
import { defineCrudPaths } from "../../core/paths.ts";

export const automationConnectionPaths = {
	...defineCrudPaths("automation_connections", "/api/automation/connections/"),
	test: {
		id: "automation_connections.test",
		method: "POST",
		path: "/api/automation/connections/:id/test/",
		auth: "bearer",
	},
	jobTemplates: {
		id: "automation_connections.job_templates",
		method: "GET",
		path: "/api/automation/connections/:id/job-templates/",
		auth: "bearer",
	},
	jobTemplate: {
		id: "automation_connections.job_template",
		method: "GET",
		path: "/api/automation/connections/:id/job-templates/:template_id/",
		auth: "bearer",
	},
	workflowTemplates: {
		id: "automation_connections.workflow_templates",
		method: "GET",
		path: "/api/automation/connections/:id/workflow-templates/",
		auth: "bearer",
	},
	workflowTemplate: {
		id: "automation_connections.workflow_template",
		method: "GET",
		path: "/api/automation/connections/:id/workflow-templates/:template_id/",
		auth: "bearer",
	},
	credentials: {
		id: "automation_connections.credentials",
		method: "GET",
		path: "/api/automation/connections/:id/credentials/",
		auth: "bearer",
	},
	credentialTypes: {
		id: "automation_connections.credential_types",
		method: "GET",
		path: "/api/automation/connections/:id/credential-types/",
		auth: "bearer",
	},
} as const;
