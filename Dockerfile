# Everything in one container: web, worker and embedded PostgreSQL, with its data in /data.
# docker-compose.yml runs them apart.
FROM python:3.11-slim

WORKDIR /app
COPY requirements.txt ./
RUN sed '/^# development/,$d' requirements.txt > /tmp/runtime.txt \
    && pip install --no-cache-dir --requirement /tmp/runtime.txt \
    && rm /tmp/runtime.txt
COPY . .

RUN useradd --system --uid 10001 --no-create-home memoryapp \
    && mkdir /data \
    && chown memoryapp:memoryapp /data
USER memoryapp
VOLUME /data

ENV DATA_DIR=/data HOST=0.0.0.0 PORT=8000 PYTHONUNBUFFERED=1
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s \
    CMD python -m memoryapp.probe http://127.0.0.1:$PORT/healthz
CMD ["python", "manage.py", "up"]
