// Requests to the server that sent this page.

export class ApiError extends Error {
  constructor(readonly status: number, message: string, readonly hint?: string) {
    super(message);
  }
}

/** Answer to a conditional request; no body if nothing has changed. */
export interface Answer<T> {
  body: T | undefined;
  etag: string | null;
}

export async function get<T>(path: string): Promise<T> {
  return (await ask<T>('GET', path)).body as T;
}

export const getIfNew = <T>(path: string, etag: string | null): Promise<Answer<T>> =>
  ask<T>('GET', path, undefined, etag ? { 'If-None-Match': etag } : {});

/** The signal ends the request. */
export async function send<T>(method: 'POST' | 'PATCH' | 'DELETE' | 'PUT', path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> {
  return (await ask<T>(method, path, method === 'DELETE' ? undefined : body, {}, signal)).body as T;
}

/** Sends a file as it is; the browser reads it, not the page. */
export const sendFile = async <T>(path: string, file: Blob, type: string): Promise<T> =>
  (await answered<T>(path, { method: 'POST', headers: { 'Content-Type': type }, body: file })).body as T;

function ask<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Answer<T>> {
  const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return answered(path, { method, headers: { ...headers, ...type }, body: body === undefined ? null : JSON.stringify(body), ...(signal && { signal }) });
}

async function answered<T>(path: string, request: RequestInit): Promise<Answer<T>> {
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, request);
  } catch {
    throw new ApiError(0, 'the server does not answer');
  }
  const etag = response.headers.get('ETag');
  if (response.status === 304 || response.status === 204) return { body: undefined, etag };
  if (!response.ok) throw await refusal(response);
  return { body: (await response.json()) as T, etag };
}

async function refusal(response: Response): Promise<ApiError> {
  try {
    const { error, hint } = (await response.json()) as { error?: string; hint?: string };
    return new ApiError(response.status, error ?? response.statusText, hint);
  } catch {
    return new ApiError(response.status, response.statusText || `status ${response.status}`);
  }
}
