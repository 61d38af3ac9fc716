/** Addresses of the model's versions and imports: one entry per route, and the channel. */

export const mimRegistryPaths = {
	status: { id: "mim_registry.status", method: "GET", path: "/api/mim-registry/status/", auth: "bearer" },
	versions: { id: "mim_registry.versions", method: "GET", path: "/api/mim-registry/remote/versions/", auth: "bearer" },
	install: { id: "mim_registry.install", method: "POST", path: "/api/mim-registry/remote/install/", auth: "bearer" },
	run: { id: "mim_registry.run", method: "GET", path: "/api/mim-registry/remote/runs/:run_id/", auth: "bearer" },
	cancel: {
		id: "mim_registry.cancel",
		method: "POST",
		path: "/api/mim-registry/remote/runs/:run_id/cancel/",
		auth: "bearer",
	},
	resume: {
		id: "mim_registry.resume",
		method: "POST",
		path: "/api/mim-registry/remote/runs/:run_id/resume/",
		auth: "bearer",
	},
	activate: {
		id: "mim_registry.activate",
		method: "POST",
		path: "/api/mim-registry/remote/runs/:run_id/activate/",
		auth: "bearer",
	},
} as const;

export const mimImportChannelPath = {
	path: "/ws/mim-import/:task_id/",
	frameTypes: ["phase", "progress", "import_complete", "import_failed"],
	final: ["import_complete", "import_failed"],
} as const;
