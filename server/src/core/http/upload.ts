/** Reads a file from a form (RFC 7578), after authentication and authorisation, up to its limit. */
import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError, buildFieldError } from "../errors.ts";

const FIELD = "file";
const HEADER_PAIRS = 20;

export function acceptForms(scope: FastifyInstance): void {
	scope.removeAllContentTypeParsers();
	scope.register(multipart, { throwFileSizeLimit: true });
}

/**
 * @param tooSlow rejects when the form arrives too slowly
 * @throws 400 under `file`, 408, 413, 415
 */
export async function readUpload(
	request: FastifyRequest,
	maxBytes: number,
	tooSlow: Promise<never> | null,
): Promise<Buffer> {
	if (!request.isMultipart()) throw new AppError(415, { detail: "The body must be a form (multipart/form-data)." });
	const limits = { fileSize: maxBytes, files: 1, fields: 0, parts: 1, headerPairs: HEADER_PAIRS };
	try {
		const read = readFile(request, limits);
		return await (tooSlow === null ? read : Promise.race([read, tooSlow]));
	} catch (error) {
		if (error instanceof AppError) throw error;
		const { statusCode } = error as { statusCode?: number };
		if (statusCode === 413) {
			throw new AppError(413, {
				detail: `The file must have at most ${Math.floor(maxBytes / 1024 ** 2)} MB, and be the only one.`,
			});
		}
		throw buildFieldError(FIELD, "The form is not complete, or not written as a form is.");
	}
}

async function readFile(request: FastifyRequest, limits: object): Promise<Buffer> {
	const part = await request.file({ limits });
	if (part === undefined || part.fieldname !== FIELD) {
		part?.file.resume();
		throw buildFieldError(FIELD, `A file is needed, in the field "${FIELD}".`);
	}
	return part.toBuffer();
}
